import type { ColumnType } from 'kysely'
import type { Bytes, CreatedAt } from '../db/columns.ts'

/** Only the columns that Gatehouse itself reads and writes; better-auth owns the others. */
declare module '../db/schema.ts' {
  interface Schema {
    admin_token: AdminTokenTable
    operator: OperatorTable
    operator_session: OperatorSessionTable
    operator_account: OperatorAccountTable
    operator_second_factor: OperatorSecondFactorTable
    operator_verification: OperatorVerificationTable
    operator_rate_limit: OperatorRateLimitTable
    operator_invitation: OperatorInvitationTable
  }
}

export interface AdminTokenTable {
  id: string
  name: string
  hash: Bytes
  /** domain/scope.ts; null: all. */
  scopes: readonly string[] | null
  /** Who answers for it: `opr_…`, or `adm_…`; null: issued on the server itself. */
  issued_by: ColumnType<string | null, string | null | undefined, never>
  created_at: CreatedAt
  revoked_at: Date | null
}

export interface OperatorTable {
  /** `opr_…` */
  id: string
  name: string
  /** In lower case. */
  email: string
  /** Whoever invited them vouched for it. */
  email_verified: boolean
  /** domain/roles.ts */
  role: string
  two_factor_enabled: ColumnType<boolean, boolean | undefined, boolean>
  last_signed_in_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** Who invited them last: `opr_…`, `adm_…`, `server`; null: unknown, or they came by single sign-on. */
  invited_by: ColumnType<string | null, string | null | undefined, string | null>
  /** Who issued the link with which their password was chosen; as `invited_by`. */
  password_by: ColumnType<string | null, string | null | undefined, string | null>
  /** They had a role that can cause requests (domain/roles.ts) before the one that they have. */
  could_cause_requests: ColumnType<boolean, boolean | undefined, boolean>
  /** Their single sign-on names no role for them any more. */
  suspended_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  created_at: CreatedAt
  updated_at: Date
}

export interface OperatorSessionTable {
  id: string
  operator_id: string
  token: string
  expires_at: Date
}

export interface OperatorAccountTable {
  id: string
  operator_id: string
  /** `credential`: a password. */
  provider_id: string
  account_id: string
  /** Its scrypt hash. */
  password: string | null
  created_at: CreatedAt
  updated_at: Date
}

export interface OperatorSecondFactorTable {
  id: string
  operator_id: string
  /** Wrong codes in a row. */
  failed_count: number | null
}

export interface OperatorVerificationTable {
  id: string
  /** Of a sign-in that waits for its second factor: whose. */
  value: string
  expires_at: Date
}

export interface OperatorRateLimitTable {
  id: string
  key: string
  count: number
  /** Milliseconds since 1970. */
  last_request: number
}

export interface OperatorInvitationTable {
  /** SHA-256 of the token in the link. */
  hash: Buffer
  /** null: whoever opens it becomes the first owner. */
  operator_id: string | null
  /** Who issued it; as `operator.invited_by`. */
  issued_by: ColumnType<string | null, string | null | undefined, never>
  /** null: never. */
  expires_at: Date | null
  created_at: CreatedAt
}
