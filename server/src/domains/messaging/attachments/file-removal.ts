import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { newUuid } from '../../../platform/lib/id.ts'
import type { FileStore } from './file-store.ts'

/** Maximum time from a new key to the row of its file. */
const UPLOAD_MS = 3_600_000

/** The file is deleted unless `claimFileKey` is called within an hour, so that a failed upload leaves none behind. */
export async function newFileKey(db: Db, now: Date): Promise<string> {
  const uuid = newUuid()
  // The last digits are random, so all folders have about the same number of files.
  const key = `${uuid.slice(-2)}/${uuid}`
  await db
    .insertInto('removed_file')
    .values({ place: key, removed_at: new Date(now.getTime() + UPLOAD_MS) })
    .execute()
  return key
}

/** Keeps the file of a new key, in the transaction that inserts its row. Returns false if the file may have been deleted already. */
export async function claimFileKey(tx: Tx, key: string, now: Date): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('removed_file')
    .where('place', '=', key)
    .where('removed_at', '>', now)
    .executeTakeFirst()
  return Number(numDeletedRows) === 1
}

export async function discardFile(db: Db, files: FileStore, key: string): Promise<void> {
  await files.remove(key)
  await db.deleteFrom('removed_file').where('place', '=', key).execute()
}

/** Deletes up to `limit` files that have no row any more. Returns their number. Throws at the end if a file could not be deleted. */
export async function removeDueFiles(db: Db, files: FileStore, now: Date, limit: number): Promise<number> {
  const due = await db
    .selectFrom('removed_file')
    .select('place')
    .where('removed_at', '<=', now)
    .orderBy('removed_at')
    .limit(limit)
    .execute()
  const errors: unknown[] = []
  for (const { place } of due) await discardFile(db, files, place).catch((error) => errors.push(error))
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${due.length} files could not be deleted`)
  return due.length
}

/** Deletes the attachments that match an SQL condition. A job deletes their files after the commit. Returns their number. */
export async function removeAttachments(db: Db, condition: RawBuilder<unknown>, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from message_attachment where ${condition} returning place
    ), removed as (
      insert into removed_file (place, removed_at) select place, ${now} from gone on conflict do nothing
    )
    select count(*) as count from gone`.execute(db)
  return rows[0]?.count ?? 0
}
