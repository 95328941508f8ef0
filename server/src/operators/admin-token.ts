import { Type } from 'typebox'
import { SCOPES, type Scope } from '../domain/scope.ts'
import { Name, oneOf, Timestamp } from '../lib/fields.ts'

/** A token of the admin API (`ga_…`) without its secret. */
export interface AdminToken {
  /** `adm_…` */
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** The responsible operator (`opr_…`), or an admin token without one (`adm_…`); null: issued on the server. */
  readonly issuedBy: string | null
  /** ended: the responsible operator was removed or suspended. */
  readonly state: 'active' | 'revoked' | 'ended'
  /** Current scopes: those of `scopes` that the issuer's role has. Empty for an inactive token. */
  readonly effectiveScopes: readonly Scope[]
  readonly createdAt: Date
  readonly revokedAt: Date | null
}

const Scopes = Type.Array(oneOf(SCOPES), { uniqueItems: true, minItems: 1 })
const EffectiveScopes = Type.Array(oneOf(SCOPES), {
  description: "Current scopes: those of `scopes` that the issuer's role has. Empty for an inactive token.",
})

export const AdminTokenCreate = Type.Object({
  name: Name,
  scopes: Type.Optional({
    ...Scopes,
    description: 'Scopes of the token. Default: all of your scopes. You cannot give scopes that you do not have.',
  }),
})

export const AdminTokenView = Type.Object({
  id: Type.String(),
  object: Type.Literal('admin_token'),
  name: Type.String(),
  scopes: Scopes,
  effective_scopes: EffectiveScopes,
  state: {
    ...oneOf(['active', 'revoked', 'ended']),
    description: 'ended: the issuer was removed, or suspended by single sign-on.',
  },
  issued_by: Type.Union([Type.String(), Type.Null()], {
    description:
      'The operator (`opr_…`) or token (`adm_…`) that is responsible for this token. For a token issued with another token: the issuer of that token. null: issued on the server.',
  }),
  created_at: Timestamp,
  revoked_at: Type.Union([Timestamp, Type.Null()]),
})

/** Response to issuing a token; no other response contains the token. */
export const IssuedAdminTokenView = Type.Object({ ...AdminTokenView.properties, token: Type.String() })

export const adminTokenView = (token: AdminToken) => ({
  id: token.id,
  object: 'admin_token' as const,
  name: token.name,
  scopes: [...token.scopes],
  effective_scopes: [...token.effectiveScopes],
  state: token.state,
  issued_by: token.issuedBy,
  created_at: token.createdAt.toISOString(),
  revoked_at: token.revokedAt?.toISOString() ?? null,
})
