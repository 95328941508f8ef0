import { Type } from 'typebox'
import type { ClaimedRole } from '../../../domains/operators/role-claims.ts'
import { oneOf } from '../../../platform/lib/fields.ts'
import { ROLES } from '../../../shared/operator.ts'
import { nullable } from '../../../shared/schemas.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { operation } from '../kit/operation.ts'

const MappedRole = Type.Object(
  {
    value: Type.String({ description: 'Value of the role claim.' }),
    role: oneOf(ROLES, 'Role'),
    workspace: nullable(Type.String({ description: 'Id or name of the Workspace of the role. null: all Workspaces.' })),
  },
  { title: 'MappedRole' },
)

const SingleSignOnView = Type.Object({
  object: Type.Literal('single_sign_on'),
  provider: nullable(
    Type.Object({
      name: Type.String(),
      issuer: Type.String(),
      client_id: Type.String(),
      scopes: Type.Array(Type.String()),
      verified_claim: Type.String({ description: 'Claim that says whether the email address is verified.' }),
      role_claim: nullable(Type.String({ description: 'Claim with the roles. null: only invited operators can sign in.' })),
      roles: nullable(Type.Array(MappedRole, { description: 'null: the values of the claim are roles.' })),
      problem: nullable(
        Type.String({ description: 'Why the provider cannot be used, in words. null: it has just responded as it should.' }),
      ),
    }),
  ),
})

const docs = operation('GET /single-sign-on', 'getSingleSignOn', 'Get the settings of single sign-on, and whether it works', {
  scope: 'operators:read',
  description: 'The settings come from the environment. `provider: null`: operators sign in with a password only.',
  answers: { 200: SingleSignOnView },
})

export function singleSignOnRoutes(app: TypedApp, { signIn }: AdminDeps): void {
  handle(app, docs, async () => {
    const { singleSignOn: provider, issuer } = signIn
    if (!provider || !issuer) return { object: 'single_sign_on', provider: null }
    const { name, clientId, scopes, verifiedClaim, roleClaim, roles } = provider
    return {
      object: 'single_sign_on',
      provider: {
        name,
        issuer: provider.issuer,
        client_id: clientId,
        scopes: [...scopes],
        verified_claim: verifiedClaim,
        role_claim: roleClaim ?? null,
        roles: roles ? mappedRoles(roles) : null,
        problem: (await issuer.check()) ?? null,
      },
    }
  })
}

const mappedRoles = (roles: ReadonlyMap<string, readonly ClaimedRole[]>) =>
  [...roles].flatMap(([value, given]) => given.map(({ role, workspace = null }) => ({ value, role, workspace })))
