import type { Db } from '../db/database.ts'
import { firstSequence, recordPages } from './audit-store.ts'
import { type Bad, ChainChecker } from './chain-checker.ts'
import type { Checkpoint } from './checkpoint.ts'
import { checkpointCovering } from './checkpoint-store.ts'
import { readSeal, type SealKeys } from './log-seal.ts'
import { foundRecord, startBefore } from './verify.ts'

/** A stretch of the log between two checkpoints. */
interface Stretch {
  readonly records: number
  /** The last record that was read. */
  readonly through: number
  readonly bad?: Bad
}

/**
 * Reads logs again, from one checkpoint to the next and in the end from the beginning, so that a change of an old record raises the
 * alarm without an operator's `audit verify`. The other checks look at the end of the log only.
 */
export class LogRereader {
  readonly #through = new Map<string, number>()
  #last: string | undefined

  /** Reads at least `records`, Workspace after Workspace, and goes on there at the next call. Visits each Workspace at most once. */
  async run(
    workspaceIds: readonly string[],
    records: number,
    read: (workspaceId: string, after: number) => Promise<Stretch | undefined>,
  ): Promise<void> {
    const start = 1 + workspaceIds.indexOf(this.#last ?? '')
    let left = records
    for (const id of [...workspaceIds.slice(start), ...workspaceIds.slice(0, start)]) {
      if (left <= 0) return
      this.#last = id
      left -= await this.#readOn(id, left, read)
    }
  }

  async #readOn(
    id: string,
    records: number,
    read: (workspaceId: string, after: number) => Promise<Stretch | undefined>,
  ): Promise<number> {
    let count = 0
    while (count < records) {
      const stretch = await read(id, this.#through.get(id) ?? 0)
      if (!stretch || stretch.bad) {
        this.#through.delete(id)
        break
      }
      count += stretch.records
      this.#through.set(id, stretch.through)
    }
    return count
  }
}

/** Verifies the records behind `after` up to the next checkpoint; undefined where no checkpoint covers any of them. */
export async function rereadStretch(db: Db, workspaceId: string, keys: SealKeys, after: number): Promise<Stretch | undefined> {
  const first = await firstSequence(db, workspaceId)
  const reading = await readSeal(db, workspaceId, keys)
  if (first === undefined || reading.kind !== 'sealed') return undefined
  const begin = Math.max(after + 1, first, (reading.seal.accepted?.through ?? 0) + 1)
  const end = await checkpointCovering(db, workspaceId, begin)
  if (!end || end.size > reading.seal.size) return undefined
  const stretch = { records: end.size - begin + 1, through: end.size }
  const bad = await firstBad(db, keys, begin, end, reading.seal.sealed_from)
  // Retention may have removed what was to be read.
  if (bad && (await firstSequence(db, workspaceId)) !== first) return { ...stretch, through: after }
  return { ...stretch, ...(bad && { bad }) }
}

async function firstBad(
  db: Db,
  { publicKey, hasher }: SealKeys,
  begin: number,
  end: Checkpoint,
  sealedFrom: number | null,
): Promise<Bad | undefined> {
  const start = await startBefore(db, end.workspace_id, begin, publicKey, undefined)
  if ('reason' in start) return start
  const checker = new ChainChecker(publicKey, start.end, start.frontier)
  checker.expect(end)
  for await (const page of recordPages(db, end.workspace_id, { after: begin - 1, through: end.size })) {
    for (const row of page) checker.next(foundRecord(row, { seals: hasher.seals, from: sealedFrom }))
    if (checker.bad) break
  }
  checker.finish({ sequence: end.size, hash: Buffer.from(end.hash, 'hex') })
  return checker.bad
}
