import { createHash } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { discardFile } from '../../domains/messaging/attachments/file-removal.ts'
import type { FileStore } from '../../domains/messaging/attachments/file-store.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { newUuid } from '../../platform/lib/id.ts'
import { type Part, PLACE } from './export-format.ts'

export type StagingDeps = { readonly db: Db; readonly files: FileStore; readonly clock: Clock }

/** After a crash, the job that removes files deletes the staged ones at this age. */
const STAGED_MS = 86_400_000

/** The job that removes files has deleted some of the staged ones, because the import took longer than STAGED_MS. */
class StagedFilesRemovedError extends Error {}

/** Each attachment is listed in `removed_file`, until `keep` removes it from there in the transaction of the import. */
export class StagedFiles {
  readonly #deps: StagingDeps
  readonly #removedAt: Date
  #staged = 0

  constructor(deps: StagingDeps) {
    this.#deps = deps
    this.#removedAt = new Date(deps.clock.now().getTime() + STAGED_MS)
  }

  /** Stores the attachments of an export or a backup. A file that the store has already stays as it is. Returns their number. */
  async store(parts: AsyncIterable<Part>): Promise<number> {
    let count = 0
    let file: StagedFile | undefined
    try {
      for await (const part of parts) {
        if (part.kind === 'chunk') await file?.write(part.bytes)
        if (part.kind !== 'file') continue
        await file?.store()
        file = undefined
        if (!PLACE.test(part.place)) continue
        file = await this.#begin(part.place)
        count += 1
      }
      await file?.store()
      return count
    } catch (error) {
      await file?.discard()
      throw error
    }
  }

  /** Call it in the transaction after the rows of the attachments are inserted. A file without a row is deleted later. */
  async keep(tx: Tx): Promise<void> {
    const { count } = await tx
      .selectFrom('removed_file')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('removed_at', '=', this.#removedAt)
      .executeTakeFirstOrThrow()
    if (Number(count) !== this.#staged)
      throw new StagedFilesRemovedError('the import took longer than a day, and its attachments were deleted: import again')
    await tx
      .deleteFrom('removed_file')
      .where('removed_at', '=', this.#removedAt)
      .where('place', 'in', tx.selectFrom('message_attachment').select('place'))
      .execute()
  }

  async discard(): Promise<void> {
    const { db, files } = this.#deps
    const rows = await db.selectFrom('removed_file').select('place').where('removed_at', '=', this.#removedAt).execute()
    for (const { place } of rows) await discardFile(db, files, place)
  }

  /** An import that was interrupted has left rows, and files that its rows would delete. This import takes them over. */
  async #begin(place: string): Promise<StagedFile | undefined> {
    const { db, files } = this.#deps
    const removed_at = this.#removedAt
    if (await exists(files, place)) {
      // A file without a row belongs to an attachment of this database.
      const left = db.updateTable('removed_file').set({ removed_at }).where('place', '=', place)
      const { numUpdatedRows } = await left.where('removed_at', '<>', removed_at).executeTakeFirstOrThrow()
      this.#staged += Number(numUpdatedRows)
      return undefined
    }
    await db
      .insertInto('removed_file')
      .values({ place, removed_at })
      .onConflict((conflict) => conflict.column('place').doUpdateSet({ removed_at }))
      .execute()
    this.#staged += 1
    return createStagedFile(files, place)
  }
}

async function exists(files: FileStore, place: string): Promise<boolean> {
  const content = await files.open(place).catch(() => undefined)
  content?.destroy()
  return content !== undefined
}

type StagedFile = Awaited<ReturnType<typeof createStagedFile>>

async function createStagedFile(files: FileStore, place: string) {
  await mkdir(files.incoming, { recursive: true, mode: 0o700 })
  const path = join(files.incoming, newUuid())
  const handle = await open(path, 'wx', 0o600)
  const hash = createHash('sha256')
  let bytes = 0
  return {
    async write(chunk: Buffer): Promise<void> {
      hash.update(chunk)
      bytes += chunk.length
      await handle.writeFile(chunk)
    },
    async store(): Promise<void> {
      await handle.sync()
      await handle.close()
      const received = { path, bytes, sha256: hash.digest(), head: Buffer.alloc(0) }
      await files.store(place, received).finally(() => rm(path, { force: true }))
    },
    async discard(): Promise<void> {
      await handle.close()
      await rm(path, { force: true })
    },
  }
}
