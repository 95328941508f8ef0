import type { Tx } from '../db/database.ts'

/** An event of sign-in that is recorded in the audit log. */
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
  /** The operator that the event is about. */
  readonly id: string
  /** Names of the changed fields in the admin API, without values. */
  readonly fields?: readonly string[]
  /** The operator who caused the event; null: the identity provider, or unknown. */
  readonly actor: string | null
}

/** Appends an audit record. Call it last in the transaction of the change, because it locks the audit log. */
export type RecordOperatorEvent = (tx: Tx, event: OperatorEvent) => Promise<void>
