import { Type } from 'typebox'
import { SCOPES, type Scope } from '../domain/scope.ts'
import { Name, oneOf, Timestamp } from './shapes.ts'

/** A token of the admin API (`ga_…`) as operators see it: never the token itself. */
export interface AdminToken {
  /** `adm_…` */
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly createdAt: Date
  readonly revokedAt: Date | null
}

const Scopes = Type.Array(oneOf(SCOPES), { uniqueItems: true, minItems: 1 })

export const AdminTokenCreate = Type.Object({
  name: Name,
  scopes: Type.Optional({ ...Scopes, description: 'What it may. Default: all that you may; more than that is refused.' }),
})

export const AdminTokenView = Type.Object({
  id: Type.String(),
  object: Type.Literal('admin_token'),
  name: Type.String(),
  scopes: Scopes,
  created_at: Timestamp,
  revoked_at: Type.Union([Timestamp, Type.Null()]),
})

/** Answer of creating a token: the only place where it is ever shown. */
export const IssuedAdminTokenView = Type.Object({ ...AdminTokenView.properties, token: Type.String() })

export const adminTokenView = (token: AdminToken) => ({
  id: token.id,
  object: 'admin_token' as const,
  name: token.name,
  scopes: [...token.scopes],
  created_at: token.createdAt.toISOString(),
  revoked_at: token.revokedAt?.toISOString() ?? null,
})
