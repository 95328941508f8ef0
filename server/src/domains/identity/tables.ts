import type { ColumnType, Generated } from 'kysely'
import type { Bytes, CreatedAt, Json, NullableJson } from '../../platform/db/columns.ts'
import type { Classification } from '../../shared/classification.ts'
import type { GovernedString } from '../../shared/governed.ts'
import type { StoredLimits } from './restriction.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    workspace: {
      id: string
      name: string
      settings: Json<unknown>
      /** Sealed (platform/lib/secret-box.ts): the key of keyed hashes. Without it the hashes show nothing. */
      hash_key: Bytes
      /** Sealed: the Ed25519 private key that signs audit checkpoints, PKCS#8 PEM. */
      signing_key: Bytes
      signing_public_key: string
      active_policy_id: string | null
      /** Seal of the audit log's length (domains/audit/checkpoints/log-seal.ts); null: it was removed. */
      audit_seal: Generated<string | null>
      created_at: CreatedAt
    }
    application: {
      id: string
      workspace_id: string
      name: string
      settings: Json<unknown>
      limits: Json<unknown>
      models: NullableJson<readonly string[]>
      providers: NullableJson<readonly string[]>
      default_model: string | null
      ceiling: Classification
      created_at: CreatedAt
      updated_at: Date
      /** null: in use. */
      archived_at: ColumnType<Date | null, never, Date | null>
    }
    api_key: {
      id: string
      workspace_id: string
      application_id: string
      name: string
      hash: Bytes
      hint: string
      /** The responsible operator (`opr_…`), or an admin token without one (`adm_…`); null: issued on the server. */
      issued_by: ColumnType<string | null, string | null | undefined, never>
      created_at: CreatedAt
      revoked_at: Date | null
      /** Accurate to about a minute; null: never. */
      last_used_at: Date | null
      /** From this time on the key is refused; null: never. */
      expires_at: ColumnType<Date | null, Date | null | undefined, Date | null>
      /** The key that has replaced this one; null: none. */
      replaced_by: ColumnType<string | null, never, string>
      /** The first key of the rotation, whose counters of limits and budgets it shares; null: its own. */
      counted_as: ColumnType<string | null, never, never>
      /** When `key.expiring` was announced; null: not yet. */
      expiry_announced_at: ColumnType<Date | null, never, Date>
      limits: Json<StoredLimits>
      /** null: all models of the Application. */
      models: NullableJson<readonly string[]>
      tags: Json<readonly string[]>
      metadata: Json<Readonly<Record<string, string>>>
      team_id: string | null
    }
    team: {
      id: string
      workspace_id: string
      /** Unique in the Workspace. */
      name: string
      limits: Json<StoredLimits>
      models: NullableJson<readonly string[]>
      /** Ids of the users who may use its keys; null: everyone. */
      members: NullableJson<readonly string[]>
      created_at: CreatedAt
      updated_at: Date
    }
    user_group: {
      workspace_id: string
      /** As access lists, policies and user tokens name it. */
      id: string
      name: string
      /** The directory that it is copied from; null: none. */
      source: string | null
      created_at: CreatedAt
      updated_at: Date
    }
    user_group_member: {
      workspace_id: string
      group_id: string
      kind: 'user' | 'group'
      /** Id of a user, or of a group that may not be stored. */
      member: string
    }
    workspace_user: {
      workspace_id: string
      /** Given at creation, or `usr_…`. Stable across Applications. */
      id: string
      username: ColumnType<string, GovernedString, GovernedString>
      role: string
      department: string
      attributes: Json<Record<string, unknown>>
      created_at: CreatedAt
      updated_at: Date
    }
  }
}
