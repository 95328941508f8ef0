import { type ChangeDeps, change } from '../../admin/kit/change.ts'
import { inWorkspace } from '../../admin/kit/operation.ts'
import type { Operator } from '../../domain/operator.ts'
import type { Scope } from '../../domain/scope.ts'
import { GatehouseError } from '../../errors.ts'
import { List, listOf, PAGE, pageOf } from '../../http/paging.ts'
import { notFound } from '../../http/refusals.ts'
import { handle, type TypedApp } from '../../http/route.ts'
import { ADMIN_TOKENS_TOPIC } from '../admin-authenticator.ts'
import { AdminTokenCreate, AdminTokenView, adminTokenView, IssuedAdminTokenView } from '../admin-token.ts'
import {
  createAdminToken,
  findAdminToken,
  listAdminTokens,
  lockActiveAdminTokens,
  revokeAdminToken,
} from '../admin-token-store.ts'
import { withdrawInvitationsOf } from '../invitation-store.ts'

const docs = {
  list: inWorkspace('GET /tokens', 'listAdminTokens', 'List admin tokens, including revoked tokens, oldest first', {
    scope: 'operators:read',
    description: 'A token has at most the scopes of the role that its issuer has at the time of use.',
    query: PAGE,
    answers: { 200: List(AdminTokenView) },
  }),
  issue: inWorkspace('POST /tokens', 'issueAdminToken', 'Issue an admin token. Only this response contains it', {
    scope: 'operators:write',
    description: "Tokens are valid for the whole server. The audit log of the request's Workspace records the issue.",
    body: AdminTokenCreate,
    answers: { 201: IssuedAdminTokenView },
  }),
  revoke: inWorkspace('POST /tokens/:id/revoke', 'revokeAdminToken', 'Revoke an admin token. The last token cannot be revoked', {
    scope: 'operators:write',
    description:
      'You cannot revoke a token that has scopes you do not have. Invitations issued with a token without a responsible operator end with it.',
    answers: { 200: AdminTokenView },
    errors: { 404: 'NOT_FOUND: the token, or the Workspace', 409: 'CONFLICT: the token is the last one' },
  }),
}

export function adminTokensRoutes(app: TypedApp, deps: ChangeDeps): void {
  handle(app, docs.list, async ({ query }) =>
    listOf(await listAdminTokens(deps.db, pageOf(query)), adminTokenView, ({ id }) => id),
  )

  handle(app, docs.issue, async (request, reply) => {
    const { operator, body } = request
    const { name, scopes = operator.scopes } = body
    refuseMissingScope(operator, scopes, 'grant')
    const issued = await change(deps, request, async (tx, now) => {
      const value = await createAdminToken(tx, { name, scopes, issuer: operator.id }, now)
      return { value, action: 'admin_token.issue', id: value.id, fields: ['name', 'scopes'] }
    })
    return reply.status(201).send({ ...adminTokenView(issued), token: issued.token })
  })

  handle(app, docs.revoke, async (request) => {
    const { id } = request.params
    const token = await change(deps, request, async (tx, now) => {
      const token = await findAdminToken(tx, id)
      if (!token) throw notFound('admin token')
      refuseMissingScope(request.operator, token.scopes, 'revoke')
      const active = await lockActiveAdminTokens(tx)
      if (active.length === 1 && active[0] === id) {
        throw new GatehouseError('CONFLICT', { message: 'The last admin token cannot be revoked. Issue another first.' })
      }
      const value = await revokeAdminToken(tx, id, now)
      if (!value) throw notFound('admin token')
      await withdrawInvitationsOf(tx, id)
      return { value, action: 'admin_token.revoke', id, fields: ['revoked_at'], announce: [ADMIN_TOKENS_TOPIC, id] }
    })
    return adminTokenView(token)
  })
}

/** Operators cannot grant or revoke scopes that they do not have. */
function refuseMissingScope(operator: Operator, scopes: readonly Scope[], verb: 'grant' | 'revoke'): void {
  const missing = scopes.find((scope) => !operator.scopes.includes(scope))
  if (missing)
    throw new GatehouseError('FORBIDDEN', {
      message: `You cannot ${verb} the scope ${missing}, which you do not have.`,
      param: 'scopes',
    })
}
