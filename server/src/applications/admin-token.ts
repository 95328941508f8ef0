import { Type } from 'typebox'
import { Name, Timestamp } from './shapes.ts'

/** A token of the admin API (`ga_…`) as operators see it: never the token itself. */
export interface AdminToken {
  /** `adm_…` */
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  readonly revokedAt: Date | null
}

export const AdminTokenCreate = Type.Object({ name: Name })

export const AdminTokenView = Type.Object({
  id: Type.String(),
  object: Type.Literal('admin_token'),
  name: Type.String(),
  created_at: Timestamp,
  revoked_at: Type.Union([Timestamp, Type.Null()]),
})

/** Answer of creating a token: the only place where it is ever shown. */
export const IssuedAdminTokenView = Type.Object({ ...AdminTokenView.properties, token: Type.String() })

export const adminTokenView = (token: AdminToken) => ({
  id: token.id,
  object: 'admin_token' as const,
  name: token.name,
  created_at: token.createdAt.toISOString(),
  revoked_at: token.revokedAt?.toISOString() ?? null,
})
