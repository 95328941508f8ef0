import type { ColumnType, Generated } from 'kysely'
import type { Bytes, CreatedAt } from '../../platform/db/columns.ts'
import type { Role } from '../../shared/operator.ts'
import type { Scope } from '../../shared/scope.ts'

/** Only the columns that Gatehouse itself reads and writes; better-auth owns the others. */
declare module '../../platform/db/schema.ts' {
  interface Schema {
    admin_token: {
      id: string
      name: string
      hash: Bytes
      /** null: all. Scopes of later versions are possible. */
      scopes: ColumnType<readonly string[] | null, readonly Scope[] | null, readonly Scope[] | null>
      /** The responsible operator (`opr_…`), or an admin token without one (`adm_…`); null: issued on the server. */
      issued_by: ColumnType<string | null, string | null | undefined, never>
      created_at: CreatedAt
      revoked_at: Date | null
      /** null: all Workspaces. */
      workspace_ids: ColumnType<readonly string[] | null, readonly string[] | null | undefined, never>
    }
    operator: {
      id: string
      name: string
      /** In lower case. */
      email: string
      email_verified: boolean
      /** The role in all Workspaces (domains/operators/stored-roles.ts). Roles of later versions are possible. */
      role: string
      two_factor_enabled: Generated<boolean>
      last_signed_in_at: Generated<Date | null>
      /** Issuer of the last invitation: `opr_…`, `adm_…` or `server`; null: unknown, or created by single sign-on. */
      invited_by: Generated<string | null>
      /** Issuer of the link with which the password was chosen, like `invited_by`. */
      password_by: Generated<string | null>
      /** Whether an earlier role could cause requests (shared/operator.ts). */
      could_cause_requests: Generated<boolean>
      suspended_at: Generated<Date | null>
      created_at: CreatedAt
      updated_at: Date
    }
    operator_role: {
      operator_id: string
      workspace_id: string
      /** null: none any more. */
      role: ColumnType<string | null, Role | null, Role | null>
      /** Whether an earlier role in this Workspace could cause requests. */
      could_cause_requests: Generated<boolean>
    }
    operator_session: {
      id: string
      operator_id: string
      token: string
      expires_at: Date
    }
    operator_account: {
      id: string
      operator_id: string
      /** `credential`: a password. */
      provider_id: string
      account_id: string
      password: string | null
      created_at: CreatedAt
      updated_at: Date
    }
    operator_second_factor: {
      id: string
      operator_id: string
      secret: string
      backup_codes: string
      failed_count: number | null
    }
    operator_verification: {
      id: string
      /** The operator's id, for a sign-in that needs its second factor. */
      value: string
      expires_at: Date
    }
    operator_rate_limit: {
      id: string
      key: string
      count: number
      /** Milliseconds since 1970. */
      last_request: number
    }
    operator_invitation: {
      /** SHA-256 of the token in the link. */
      hash: Buffer
      /** null: the invitation of the first owner. */
      operator_id: string | null
      issued_by: ColumnType<string | null, string | null | undefined, never>
      /** null: never. */
      expires_at: Date | null
      created_at: CreatedAt
    }
    operator_absence: {
      operator_id: string
      /** null: no delegate, or the delegate was removed. */
      delegate_id: string | null
      starts_at: Date
      ends_at: Date
    }
  }
}
