import type { Db } from '../../../platform/db/database.ts'
import { findChainEnd, findFirstSequence, findHashes } from '../audit-store.ts'
import type { ChainEnd } from '../chain/chain.ts'
import { type AuditFault, faultAt } from '../verify/chain-checker.ts'
import type { WorkspaceKeys } from '../workspace-keys.ts'
import { checkpointHash } from './checkpoint.ts'
import { findCheckpointAt } from './checkpoint-store.ts'
import { type LogSeal, readSeal } from './log-seal.ts'
import { AuditTamperedError, readVerifiedSeal, stopSigning, toChainEndFault } from './verified-seal.ts'

interface ObservedState {
  readonly seal: LogSeal
  readonly head: ChainEnd
}

/** An older state of the whole database is as genuine as the newest, so only a memory outside the database can show that it was restored. */
export class AuditWatch {
  readonly #observed = new Map<string, ObservedState>()
  readonly #faults = new Map<string, AuditFault>()
  readonly #suspected = new Map<string, AuditFault>()
  /** An alarm ends when an operator resumes (`resumed` of the seal increases), not when an older seal is restored. */
  readonly #alarms = new Map<string, { readonly fault: AuditFault; readonly resumed: number }>()

  get faults(): ReadonlyMap<string, AuditFault> {
    return this.#faults
  }

  /** Adds a fault that the seal does not show; the next check announces it to all nodes. */
  suspect(workspaceId: string, fault: AuditFault): void {
    this.#suspected.set(workspaceId, fault)
    this.#faults.set(workspaceId, fault)
  }

  /** Adds a fault that prevents the Workspace from being checked. */
  report(workspaceId: string, fault: AuditFault): void {
    this.#faults.set(workspaceId, fault)
    this.#raise(workspaceId, fault, this.#observed.get(workspaceId)?.seal)
  }

  /** Observed Workspaces that are not in `ids`: this server never removes a Workspace. */
  findRemoved(ids: readonly string[]): readonly string[] {
    const present = new Set(ids)
    return [...new Set([...this.#observed.keys(), ...this.#faults.keys()])].filter((id) => !present.has(id))
  }

  /** Without a known seal an operator's resumption cannot be recognised; such an alarm ends with its cause. */
  #raise(workspaceId: string, fault: AuditFault, seal: Pick<LogSeal, 'resumed'> | undefined): void {
    const known = this.#alarms.get(workspaceId)
    if (seal && (!known || seal.resumed > known.resumed)) this.#alarms.set(workspaceId, { fault, resumed: seal.resumed })
  }

  async check(db: Db, workspaceId: string, keys: WorkspaceKeys): Promise<AuditFault | undefined> {
    const fault = await this.#findFault(db, workspaceId, keys)
    if (fault) this.#faults.set(workspaceId, fault)
    else this.#faults.delete(workspaceId)
    return fault
  }

  async #findFault(db: Db, workspaceId: string, keys: WorkspaceKeys): Promise<AuditFault | undefined> {
    try {
      // Read before the seal, because the chain's end moves while the seal is read.
      const head = await findChainEnd(db, workspaceId).catch(toChainEndFault)
      const { seal } = await readVerifiedSeal(db, workspaceId, keys)
      if ('reason' in head) return head
      const before = this.#observed.get(workspaceId)
      const knownResumed = this.#alarms.get(workspaceId)?.resumed ?? before?.seal.resumed
      const resumed = knownResumed !== undefined && seal.resumed > knownResumed
      if (resumed) for (const known of [this.#suspected, this.#alarms]) known.delete(workspaceId)
      const fault =
        this.#suspected.get(workspaceId) ??
        this.#alarms.get(workspaceId)?.fault ??
        (before && !resumed ? await findRollback(db, before, seal, head) : undefined)
      if (fault) {
        this.#raise(workspaceId, fault, seal)
        await stopSigning(db, workspaceId, keys, fault)
        this.#suspected.delete(workspaceId)
      } else {
        this.#observed.set(workspaceId, { seal, head })
      }
      return fault
    } catch (cause) {
      if (!(cause instanceof AuditTamperedError)) throw cause
      const { seal } = await readSeal(db, workspaceId, keys)
      this.#raise(workspaceId, cause.fault, seal ?? this.#observed.get(workspaceId)?.seal)
      return cause.fault
    }
  }
}

async function findRollback(db: Db, before: ObservedState, seal: LogSeal, head: ChainEnd): Promise<AuditFault | undefined> {
  if (seal.resumed < before.seal.resumed || seal.size < before.seal.size) return faultAt('rolled_back', seal.size + 1)
  if (head.sequence < before.head.sequence) return faultAt('rolled_back', head.sequence + 1)
  const { workspace_id, size, checkpoint } = before.seal
  const first = await findFirstSequence(db, workspace_id)
  const isKept = (sequence: number) => first !== undefined && sequence >= first
  if (isKept(size)) {
    const found = await findCheckpointAt(db, workspace_id, size)
    if (!found || checkpointHash(found) !== checkpoint) return faultAt('rolled_back', size)
  }
  const { sequence, hash } = before.head
  if (!isKept(sequence)) return undefined
  const found = (await findHashes(db, workspace_id, [sequence])).get(sequence)
  return found?.equals(hash) ? undefined : faultAt('rolled_back', sequence)
}
