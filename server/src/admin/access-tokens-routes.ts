import { answerableFor } from '../applications/admin-token-store.ts'
import { findUser } from '../applications/user-store.ts'
import {
  AccessTokenCreate,
  AccessTokenView,
  accessTokenView,
  DEFAULT_TOKEN_NAME,
  IssuedAccessTokenView,
} from '../messaging/people/access-token.ts'
import { issueAccessToken, listAccessTokens, revokeAccessToken } from '../messaging/people/access-token-store.ts'
import { ACCESS_TOKENS_TOPIC } from '../messaging/people/member-authenticator.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { bodyOptional } from './bodies.ts'
import { change } from './change.ts'
import { inWorkspace } from './operation.ts'
import { listOf, PAGE, pageOf } from './paging.ts'
import { notFound } from './refusals.ts'
import { List, pathOf } from './shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the user, or the Workspace' }

const docs = {
  list: inWorkspace('listAccessTokens', "A user's tokens for the messaging API, oldest first, revoked ones too", {
    scope: 'people:read',
    query: PAGE,
    params: pathOf('id'),
    answers: { 200: List(AccessTokenView) },
    errors: UNKNOWN,
  }),
  issue: inWorkspace('issueAccessToken', 'Issue a token for the messaging API: it is in this answer, and nowhere afterwards', {
    scope: 'people:write',
    description: 'For people; an assistant has none. Whoever issues one may not decide on what the user sends.',
    query: {},
    params: pathOf('id'),
    body: AccessTokenCreate,
    answers: { 201: IssuedAccessTokenView },
    errors: UNKNOWN,
  }),
  revoke: inWorkspace('revokeAccessToken', 'Revoke a token, at once on this node and within a second on every other', {
    scope: 'people:write',
    description: 'Revoking a revoked token changes nothing.',
    query: {},
    params: pathOf('id'),
    answers: { 200: AccessTokenView },
    errors: { 404: 'NOT_FOUND: the token, or the Workspace' },
  }),
}

export function accessTokensRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db } = deps

  app.get('/users/:id/tokens', { schema: docs.list }, async ({ workspaceId, params, query }) => {
    if (!(await findUser(db, workspaceId, params.id))) throw notFound('user')
    return listOf(await listAccessTokens(db, workspaceId, params.id, pageOf(query)), accessTokenView, ({ id }) => id)
  })

  app.post('/users/:id/tokens', { schema: docs.issue, preValidation: bodyOptional }, async (request, reply) => {
    const { workspaceId, operator, params, body } = request
    const issued = await change(deps, request, async (tx, now) => {
      const issuer = await answerableFor(tx, operator.id)
      const value = await issueAccessToken(tx, workspaceId, params.id, body.name ?? DEFAULT_TOKEN_NAME, now, issuer)
      if (!value) throw notFound('user')
      return { value, action: 'access_token.issue', id: value.id, fields: ['name'] }
    })
    return reply.status(201).send({ ...accessTokenView(issued), token: issued.token })
  })

  app.post('/access-tokens/:id/revoke', { schema: docs.revoke }, async (request) => {
    const token = await change(deps, request, async (tx, now) => {
      const value = await revokeAccessToken(tx, request.workspaceId, request.params.id, now)
      if (!value) throw notFound('access token')
      return {
        value,
        action: 'access_token.revoke',
        id: value.id,
        fields: ['revoked_at'],
        announce: [ACCESS_TOKENS_TOPIC, value.id],
      }
    })
    return accessTokenView(token)
  })
}
