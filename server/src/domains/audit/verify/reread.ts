import type { Db } from '../../../platform/db/database.ts'
import { findFirstSequence } from '../audit-store.ts'
import type { Checkpoint } from '../checkpoints/checkpoint.ts'
import { findCheckpointCovering } from '../checkpoints/checkpoint-store.ts'
import { readSeal, type SealKeys } from '../checkpoints/log-seal.ts'
import { type AuditFault, ChainChecker } from './chain-checker.ts'
import { observePages } from './record-check.ts'
import { findChainStart } from './verify.ts'

interface RereadRange {
  readonly records: number
  readonly through: number
  readonly fault?: AuditFault
}

type ReadRange = (workspaceId: string, after: number) => Promise<RereadRange | undefined>

/** Rereads logs from checkpoint to checkpoint, again and again, so that a change of an old record raises the alarm without `audit verify`. */
export class LogRereader {
  readonly #positions = new Map<string, number>()
  #lastWorkspaceId: string | undefined

  /** Reads at least `records` records, each Workspace at most once, and continues there at the next call. */
  async run(workspaceIds: readonly string[], records: number, read: ReadRange): Promise<void> {
    const start = 1 + workspaceIds.indexOf(this.#lastWorkspaceId ?? '')
    let left = records
    for (const id of [...workspaceIds.slice(start), ...workspaceIds.slice(0, start)]) {
      if (left <= 0) return
      this.#lastWorkspaceId = id
      left -= await this.#continueWorkspace(id, left, read)
    }
  }

  async #continueWorkspace(id: string, records: number, read: ReadRange): Promise<number> {
    let count = 0
    while (count < records) {
      const range = await read(id, this.#positions.get(id) ?? 0)
      if (!range || range.fault) {
        this.#positions.delete(id)
        break
      }
      count += range.records
      this.#positions.set(id, range.through)
    }
    return count
  }
}

export async function rereadNextRange(
  db: Db,
  workspaceId: string,
  keys: SealKeys,
  after: number,
): Promise<RereadRange | undefined> {
  const first = await findFirstSequence(db, workspaceId)
  const reading = await readSeal(db, workspaceId, keys)
  if (first === undefined || reading.kind !== 'sealed') return undefined
  const comparableAfter = Math.max(first - 1, reading.seal.accepted?.through ?? 0)
  const begin = Math.max(after, comparableAfter) + 1
  const end = await findCheckpointCovering(db, workspaceId, begin)
  if (!end || end.size > reading.seal.size) return undefined
  const range = { records: end.size - begin + 1, through: end.size }
  const fault = await findFirstFault(db, keys, { begin, end, comparableAfter })
  // Retention may have removed records while they were read.
  if (fault && (await findFirstSequence(db, workspaceId)) !== first) return { ...range, through: after }
  return { ...range, ...(fault && { fault }) }
}

async function findFirstFault(
  db: Db,
  { hasher, publicKey }: SealKeys,
  { begin, end, comparableAfter }: { begin: number; end: Checkpoint; comparableAfter: number },
): Promise<AuditFault | undefined> {
  const start = await findChainStart(db, end.workspace_id, begin, publicKey)
  if ('reason' in start) return start
  const checker = new ChainChecker(publicKey, start.end, start.frontier)
  checker.expectCheckpoints([end])
  const comparable = { start: { sequence: comparableAfter, hash: Buffer.alloc(0) }, signedThrough: end.size }
  const range = { after: begin - 1, through: end.size, comparable }
  for await (const { page } of observePages(db, end.workspace_id, range, hasher.seals)) {
    for (const record of page) checker.addRecord(record)
    if (checker.fault) break
  }
  checker.finish({ sequence: end.size, hash: Buffer.from(end.hash, 'hex') })
  return checker.fault
}
