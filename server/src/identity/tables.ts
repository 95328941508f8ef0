import type { ColumnType, Generated } from 'kysely'
import type { Bytes, CreatedAt, Json, NullableJson } from '../db/columns.ts'
import type { GovernedString } from '../domain/governed.ts'

declare module '../db/schema.ts' {
  interface Schema {
    workspace: WorkspaceTable
    application: ApplicationTable
    api_key: ApiKeyTable
    workspace_user: WorkspaceUserTable
  }
}

export interface WorkspaceTable {
  id: string
  name: string
  /** JWKS, claim names, audit retention … (identity/workspace.ts). */
  settings: Json<unknown>
  /** Sealed (lib/secret-box.ts): the HMAC key of content hashes. Destroying it erases what the hashes stand for. */
  hash_key: Bytes
  /** Sealed: the Ed25519 private key that signs audit checkpoints, PKCS#8 PEM. */
  signing_key: Bytes
  /** SPKI PEM of the same key, so that anybody can check a checkpoint. */
  signing_public_key: string
  /** The policy set version in force; null: no policies. */
  active_policy_id: string | null
  /** What the server vouches for in the audit log (audit/log-seal.ts); null: made by an older version and not adopted yet. */
  audit_seal: Generated<string | null>
  created_at: CreatedAt
}

export interface ApplicationTable {
  id: string
  workspace_id: string
  name: string
  settings: Json<unknown>
  limits: Json<unknown>
  models: NullableJson<readonly string[]>
  providers: NullableJson<readonly string[]>
  default_model: string | null
  ceiling: string
  created_at: CreatedAt
  updated_at: Date
}

export interface ApiKeyTable {
  id: string
  workspace_id: string
  application_id: string
  name: string
  /** SHA-256 of the key; the key itself is never stored. */
  hash: Bytes
  /** First letters of the key, so that people can tell keys apart. */
  hint: string
  /** The operator who issued it (`opr_…`), or an admin token without one (`adm_…`); null: issued on the server itself. */
  issued_by: ColumnType<string | null, string | null | undefined, never>
  created_at: CreatedAt
  revoked_at: Date | null
  /** To about a minute. */
  last_used_at: Date | null
}

export interface WorkspaceUserTable {
  workspace_id: string
  /** Canonical user id, stable across Applications. */
  id: string
  username: ColumnType<string, GovernedString, GovernedString>
  role: string
  department: string
  attributes: Json<Record<string, unknown>>
  created_at: CreatedAt
  updated_at: Date
}
