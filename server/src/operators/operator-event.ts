import type { Tx } from '../db/database.ts'

/** What somebody did, or what was done to them, at the sign-in: by names, never with a value. */
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
  /** Of whom it happened to. */
  readonly id: string
  /** By their names in the admin API. */
  readonly fields?: readonly string[]
  /** Whose doing it was; null: the OIDC provider's word, or nobody known. */
  readonly actor: string | null
}

/** Writes it into the audit log, in the transaction of what it tells of; the last thing that this does. */
export type RecordOperatorEvent = (tx: Tx, event: OperatorEvent) => Promise<void>
