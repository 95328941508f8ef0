import type { Answer } from '../crash-client.ts'
import { CrashLedger, type KnownHold } from '../crash-ledger.ts'
import type { TestUser } from '../messaging-crash-client.ts'

/** What the clients of a run share. */
export interface Setup {
  readonly conversation: string
  readonly users: readonly TestUser[]
  readonly budgets: readonly { readonly id: string; readonly unit: 'usd' | 'tokens' }[]
}

export interface SentMessage {
  readonly user: string
  readonly text: string
  readonly id: string
  /** The exact response body. */
  readonly answer: string
}

/** Position, type and message of an event that a reader received. */
export type Received = readonly [id: number, type: string, message: string]

/** What clients were told over all kills. */
export class KillLedger extends CrashLedger {
  /** Set before the load starts. */
  setup: Setup = { conversation: '', users: [], budgets: [] }
  /** Audit ids and holds that were added or changed since the last check. */
  readonly unchecked: string[] = []
  readonly changed = new Set<KnownHold>()
  readonly kills = new Map<string, number>()
  readonly messages: SentMessage[] = []
  /** Content of memories by id. */
  readonly memories = new Map<string, string>()
  /** Ids of memories: `false` while it is unknown whether the erasure took effect. */
  readonly erased = new Map<string, boolean>()

  /** Number of kills so far. */
  get killed(): number {
    return [...this.kills.values()].reduce((sum, count) => sum + count, 0)
  }

  override seen(answer: Answer | undefined): Answer | undefined {
    const seen = super.seen(answer)
    if (seen?.auditId !== undefined) this.unchecked.push(seen.auditId)
    return seen
  }
}
