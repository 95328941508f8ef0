import type { Db, Tx } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'

export interface OperatorEvent {
  readonly action:
    | 'operator.accept'
    | 'operator.sign_in'
    | 'operator.change_password'
    | 'operator.enable_second_factor'
    | 'operator.disable_second_factor'
    | 'operator.renew_backup_codes'
    | 'operator.lock'
    | 'operator.create'
    | 'operator.update'
    | 'operator.suspend'
  readonly id: string
  readonly fields?: readonly string[]
  /** The operator who caused the event; null: the identity provider, or unknown. */
  readonly actor: string | null
  /** The Workspaces whose audit logs record the event. Default: those of its `workspace_roles`. */
  readonly workspaceIds?: readonly string[]
  /** Whether the log of the oldest Workspace records the event too. Default: if the operator has a role in all Workspaces, or none. */
  readonly isServerWide?: boolean
}

export interface OperatorEventDeps {
  readonly db: Db
  readonly clock: Clock
  /** Appends audit records. Call it last in the transaction of the change, because it locks the audit logs. */
  readonly record: (tx: Tx, event: OperatorEvent) => Promise<void>
}
