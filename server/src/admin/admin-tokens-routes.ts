import { ADMIN_TOKENS_TOPIC } from '../applications/admin-authenticator.ts'
import { AdminTokenCreate, AdminTokenView, adminTokenView, IssuedAdminTokenView } from '../applications/admin-token.ts'
import {
  createAdminToken,
  findAdminToken,
  listAdminTokens,
  lockActiveAdminTokens,
  revokeAdminToken,
} from '../applications/admin-token-store.ts'
import type { Operator } from '../domain/operator.ts'
import type { Scope } from '../domain/scope.ts'
import { GatehouseError } from '../errors.ts'
import { withdrawInvitationsOf } from '../operators/invitation-store.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { change } from './change.ts'
import { inWorkspace } from './operation.ts'
import { listOf, PAGE, pageOf } from './paging.ts'
import { notFound } from './refusals.ts'
import { List, pathOf } from './shapes.ts'

const docs = {
  list: inWorkspace('listAdminTokens', 'Admin tokens of the server, oldest first, revoked ones too', {
    scope: 'operators:read',
    description: 'A token may what its issuer may: at each use the role of the operator who answers for it counts.',
    query: PAGE,
    answers: { 200: List(AdminTokenView) },
  }),
  issue: inWorkspace('issueAdminToken', 'Issue an admin token: it is in this answer, and nowhere afterwards', {
    scope: 'operators:write',
    description: 'Tokens serve the whole server; that one was issued is recorded in the Workspace of the request.',
    query: {},
    body: AdminTokenCreate,
    answers: { 201: IssuedAdminTokenView },
  }),
  revoke: inWorkspace('revokeAdminToken', 'Revoke an admin token; the last one stays', {
    scope: 'operators:write',
    description:
      'Nobody revokes a token that may more than they do. Invitations that were issued with a token that no operator answers for end with it.',
    query: {},
    params: pathOf('id'),
    answers: { 200: AdminTokenView },
    errors: { 404: 'NOT_FOUND: the token, or the Workspace', 409: 'CONFLICT: it is the last one' },
  }),
}

export function adminTokensRoutes(app: AdminApp, deps: AdminDeps): void {
  app.get('/tokens', { schema: docs.list }, async ({ query }) =>
    listOf(await listAdminTokens(deps.db, pageOf(query)), adminTokenView, ({ id }) => id),
  )

  app.post('/tokens', { schema: docs.issue }, async (request, reply) => {
    const { operator, body } = request
    const { name, scopes = operator.scopes } = body
    refuseMore(operator, scopes, 'grant')
    const issued = await change(deps, request, async (tx, now) => {
      const value = await createAdminToken(tx, { name, scopes, issuer: operator.id }, now)
      return { value, action: 'admin_token.issue', id: value.id, fields: ['name', 'scopes'] }
    })
    return reply.status(201).send({ ...adminTokenView(issued), token: issued.token })
  })

  app.post('/tokens/:id/revoke', { schema: docs.revoke }, async (request) => {
    const { id } = request.params
    const token = await change(deps, request, async (tx, now) => {
      const token = await findAdminToken(tx, id)
      if (!token) throw notFound('admin token')
      refuseMore(request.operator, token.scopes, 'take')
      const active = await lockActiveAdminTokens(tx)
      if (active.length === 1 && active[0] === id) {
        throw new GatehouseError('CONFLICT', { message: 'The last admin token cannot be revoked: issue another first.' })
      }
      const value = await revokeAdminToken(tx, id, now)
      if (!value) throw notFound('admin token')
      await withdrawInvitationsOf(tx, id)
      return { value, action: 'admin_token.revoke', id, fields: ['revoked_at'], announce: [ADMIN_TOKENS_TOPIC, id] }
    })
    return adminTokenView(token)
  })
}

/** Nobody grants or takes what they lack. */
function refuseMore(operator: Operator, scopes: readonly Scope[], verb: 'grant' | 'take'): void {
  const missing = scopes.find((scope) => !operator.scopes.includes(scope))
  if (missing)
    throw new GatehouseError('FORBIDDEN', { message: `You cannot ${verb} ${missing}: you do not have it.`, param: 'scopes' })
}
