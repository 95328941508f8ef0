import type { Db } from '../db/database.ts'
import { findHead, firstSequence, linkPages } from './audit-store.ts'
import type { ChainEnd } from './chain.ts'
import type { Bad } from './chain-checker.ts'
import { checkpointHash } from './checkpoint.ts'
import { checkpointAt } from './checkpoint-store.ts'
import type { LogSeal } from './log-seal.ts'
import { AuditTampered, readVouching, stopSigning } from './vouching.ts'
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
  }

  /** The Workspace is gone. */
  forget(workspaceId: string): void {
    for (const known of [this.#seen, this.#found, this.#suspected]) known.delete(workspaceId)
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
      const head = await findHead(db, workspaceId)
      const vouching = await readVouching(db, workspaceId, keys)
      // Whether it can be taken over is found out when its next checkpoint is due, by reading all of it: that stands until then.
      if (!vouching) return this.#found.get(workspaceId)
      const { seal } = vouching
      const before = this.#seen.get(workspaceId)
      const resumed = before !== undefined && seal.resumed > before.seal.resumed
      if (resumed) this.#suspected.delete(workspaceId)
      const bad =
        this.#suspected.get(workspaceId) ?? (before && !resumed ? await fallenBehind(db, before, seal, head) : undefined)
      if (bad) {
        await stopSigning(db, workspaceId, keys, bad)
        this.#suspected.delete(workspaceId)
      } else {
        this.#seen.set(workspaceId, { seal, head })
      }
      return bad
    } catch (cause) {
      if (cause instanceof AuditTampered) return cause.bad
      throw cause
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
