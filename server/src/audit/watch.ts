import type { Db } from '../db/database.ts'
import { findHead, firstSequence, linkPages } from './audit-store.ts'
import type { ChainEnd } from './chain.ts'
import type { Bad } from './chain-checker.ts'
import { checkpointHash } from './checkpoint.ts'
import { checkpointAt } from './checkpoint-store.ts'
import { type LogSeal, readSeal } from './log-seal.ts'
import { AuditTampered, endMissing, readVouching, stopSigning } from './vouching.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** What this node has last seen of a Workspace's log. */
interface Seen {
  readonly seal: LogSeal
  readonly head: ChainEnd
}

/**
 * What this node knows to be wrong with audit logs, and what it remembers of them: an older state of the whole database is as
 * genuine as the newest one, so only a memory outside the database can tell that it was put back.
 */
export class AuditWatch {
  readonly #seen = new Map<string, Seen>()
  readonly #found = new Map<string, Bad>()
  readonly #suspected = new Map<string, Bad>()
  /** Ends when an operator resumes (`resumed` of the seal grows), not when the seal that knew nothing of it is put back. */
  readonly #alarms = new Map<string, { readonly bad: Bad; readonly resumed: number }>()

  /** What was found at the last check, by Workspace. */
  get found(): ReadonlyMap<string, Bad> {
    return this.#found
  }

  /** What a check of the seal cannot see; it is made known to every node with the next check. */
  suspect(workspaceId: string, bad: Bad): void {
    this.#suspected.set(workspaceId, bad)
    this.#found.set(workspaceId, bad)
  }

  /** What keeps a Workspace from being checked at all. */
  report(workspaceId: string, bad: Bad): void {
    this.#found.set(workspaceId, bad)
    this.#raise(workspaceId, bad, this.#seen.get(workspaceId)?.seal)
  }

  /** Those that were here before and are not among `ids`: nothing in this server removes a Workspace. */
  gone(ids: readonly string[]): readonly string[] {
    const present = new Set(ids)
    return [...new Set([...this.#seen.keys(), ...this.#found.keys()])].filter((id) => !present.has(id))
  }

  /** Where no seal was ever read, nothing tells whether an operator resumes later: such an alarm ends with its cause. */
  #raise(workspaceId: string, bad: Bad, seal: Pick<LogSeal, 'resumed'> | undefined): void {
    const known = this.#alarms.get(workspaceId)
    if (seal && (!known || seal.resumed > known.resumed)) this.#alarms.set(workspaceId, { bad, resumed: seal.resumed })
  }

  /** Holds the log's seal against the last checkpoint, the chain's end and what was seen before. Throws when that cannot be read. */
  async check(db: Db, workspaceId: string, keys: WorkspaceKeys): Promise<Bad | undefined> {
    const bad = await this.#look(db, workspaceId, keys)
    if (bad) this.#found.set(workspaceId, bad)
    else this.#found.delete(workspaceId)
    return bad
  }

  async #look(db: Db, workspaceId: string, keys: WorkspaceKeys): Promise<Bad | undefined> {
    try {
      // Before the seal: the chain's end only moves on while the seal is read.
      const head = await findHead(db, workspaceId).catch(endMissing)
      const vouching = await readVouching(db, workspaceId, keys)
      // Whether it can be taken over is found out when its next checkpoint is due, by reading all of it: that stands until then.
      if (!vouching) return this.#found.get(workspaceId)
      if ('reason' in head) return head
      const { seal } = vouching
      const before = this.#seen.get(workspaceId)
      const since = this.#alarms.get(workspaceId)?.resumed ?? before?.seal.resumed
      const resumed = since !== undefined && seal.resumed > since
      if (resumed) for (const known of [this.#suspected, this.#alarms]) known.delete(workspaceId)
      const bad =
        this.#suspected.get(workspaceId) ??
        this.#alarms.get(workspaceId)?.bad ??
        (before && !resumed ? await fallenBehind(db, before, seal, head) : undefined)
      if (bad) {
        this.#raise(workspaceId, bad, seal)
        await stopSigning(db, workspaceId, keys, bad)
        this.#suspected.delete(workspaceId)
      } else {
        this.#seen.set(workspaceId, { seal, head })
      }
      return bad
    } catch (cause) {
      if (!(cause instanceof AuditTampered)) throw cause
      const reading = await readSeal(db, workspaceId, keys)
      const seal = reading.kind === 'none' ? undefined : reading.seal
      this.#raise(workspaceId, cause.bad, seal ?? this.#seen.get(workspaceId)?.seal)
      return cause.bad
    }
  }
}

/** Where the log is not a continuation of what was seen before. */
async function fallenBehind(db: Db, before: Seen, seal: LogSeal, head: ChainEnd): Promise<Bad | undefined> {
  const rolledBack = (sequence: number): Bad => ({ sequence, id: null, reason: 'rolled_back' })
  if (seal.resumed < before.seal.resumed || seal.size < before.seal.size) return rolledBack(seal.size + 1)
  if (head.sequence < before.head.sequence) return rolledBack(head.sequence + 1)
  const { workspace_id, size, checkpoint } = before.seal
  const first = await firstSequence(db, workspace_id)
  const isKept = (sequence: number) => first !== undefined && sequence >= first
  if (isKept(size)) {
    const found = await checkpointAt(db, workspace_id, size)
    if (!found || checkpointHash(found) !== checkpoint) return rolledBack(size)
  }
  const { sequence, hash } = before.head
  if (!isKept(sequence)) return undefined
  for await (const [link] of linkPages(db, workspace_id, sequence - 1, sequence)) {
    if (link?.hash.equals(hash)) return undefined
  }
  return rolledBack(sequence)
}
