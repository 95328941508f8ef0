import { Type } from 'typebox'
import { Name, oneOf, Timestamp } from '../../platform/lib/fields.ts'
import { viewOf } from '../../platform/lib/view.ts'
import { type Access, mayEnter } from '../../shared/access.ts'
import { SCOPES, type Scope } from '../../shared/scope.ts'

export interface AdminToken {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly workspaceIds: readonly string[] | null
  /** The responsible operator (`opr_…`), or an admin token without one (`adm_…`); null: issued on the server. */
  readonly issuedBy: string | null
  readonly state: 'active' | 'revoked' | 'ended'
  /** Current scopes by Workspace: the issuer's, limited to those of the token. None for an inactive token. */
  readonly access: Access
  readonly effectiveScopes: readonly Scope[]
  readonly createdAt: Date
  readonly revokedAt: Date | null
}

const Scopes = Type.Array(oneOf(SCOPES, 'Scope'), { uniqueItems: true, minItems: 1 })

export const AdminTokenCreate = Type.Object({
  name: Name,
  scopes: Type.Optional({
    ...Scopes,
    description:
      'Scopes of the token. Default: all scopes that you have in its Workspaces. You cannot give scopes that you do not have.',
  }),
  workspace_ids: Type.Optional({
    ...Type.Union([Type.Array(Type.String(), { uniqueItems: true, minItems: 1, maxItems: 100 }), Type.Null()]),
    description:
      'The only Workspaces in which the token is valid. null: all. Default: all, or the Workspace of the request if you cannot issue tokens for all.',
  }),
})

export const AdminTokenView = Type.Object({
  id: Type.String(),
  object: Type.Literal('admin_token'),
  name: Type.String(),
  scopes: Scopes,
  effective_scopes: Type.Array(oneOf(SCOPES, 'Scope'), {
    description:
      "Current scopes: those of `scopes` that the issuer's roles have, in at least one Workspace. Empty for an inactive token.",
  }),
  workspace_ids: {
    ...Type.Union([Type.Array(Type.String()), Type.Null()]),
    description: 'The Workspaces in which the token is valid; null: all. Workspaces that you cannot enter are left out.',
  },
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
export const IssuedAdminTokenView = Type.Object(
  { ...AdminTokenView.properties, token: Type.String() },
  { title: 'IssuedAdminToken' },
)

export const adminTokenView = (token: AdminToken, viewer: Access) =>
  viewOf(AdminTokenView, token, { workspace_ids: token.workspaceIds?.filter((id) => mayEnter(viewer, id)) ?? null })
