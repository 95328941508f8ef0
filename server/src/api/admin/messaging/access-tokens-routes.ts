import { findUser } from '../../../domains/identity/user-store.ts'
import {
  AccessTokenCreate,
  AccessTokenView,
  accessTokenView,
  DEFAULT_TOKEN_NAME,
  IssuedAccessTokenView,
} from '../../../domains/messaging/people/access-token.ts'
import { issueAccessToken, listAccessTokens, revokeAccessToken } from '../../../domains/messaging/people/access-token-store.ts'
import { ACCESS_TOKENS_TOPIC } from '../../../domains/messaging/people/member.ts'
import { findResponsibleOperator } from '../../../domains/operators/admin-token-store.ts'
import { notFound, requireFound } from '../../../shared/refusals.ts'
import { bodyOptional } from '../../kit/bodies.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { type ChangeDeps, change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the user, or the Workspace' }

const docs = {
  list: inWorkspace(
    'GET /users/:id/tokens',
    'listAccessTokens',
    "List a user's tokens for the messaging API, including revoked tokens, oldest first",
    {
      scope: 'people:read',
      query: PAGE,
      answers: { 200: List(AccessTokenView) },
      errors: UNKNOWN,
    },
  ),
  issue: inWorkspace(
    'POST /users/:id/tokens',
    'issueAccessToken',
    'Issue a token for the messaging API. Only this response contains it',
    {
      scope: 'people:write',
      description: "Not for assistants. The operator who issues a token cannot decide on the user's messages.",
      body: AccessTokenCreate,
      answers: { 201: IssuedAccessTokenView },
      errors: UNKNOWN,
    },
  ),
  revoke: inWorkspace(
    'POST /access-tokens/:id/revoke',
    'revokeAccessToken',
    'Revoke a token: immediately on this node, within a second on all others',
    {
      scope: 'people:write',
      description: 'Revoking a revoked token changes nothing.',
      answers: { 200: AccessTokenView },
      errors: { 404: 'NOT_FOUND: the token, or the Workspace' },
    },
  ),
}

export function accessTokensRoutes(app: TypedApp, deps: ChangeDeps): void {
  const { db } = deps

  handle(app, docs.list, async ({ workspaceId, params, query }) => {
    if (!(await findUser(db, workspaceId, params.id))) throw notFound('user')
    return listOf(await listAccessTokens(db, workspaceId, params.id, pageOf(query)), accessTokenView, ({ id }) => id)
  })

  handle(app, { ...docs.issue, preValidation: bodyOptional }, async (request, reply) => {
    const { workspaceId, operator, params, body } = request
    const issued = await change(deps, request, async (tx, now) => {
      const issuer = await findResponsibleOperator(tx, operator.id)
      const value = requireFound(
        await issueAccessToken(tx, workspaceId, params.id, body.name ?? DEFAULT_TOKEN_NAME, now, issuer),
        'user',
      )
      return { value, action: 'access_token.issue', id: value.id, fields: ['name'] }
    })
    return reply.status(201).send({ ...accessTokenView(issued), token: issued.token })
  })

  handle(app, docs.revoke, async (request) => {
    const token = await change(deps, request, async (tx, now) => {
      const value = requireFound(await revokeAccessToken(tx, request.workspaceId, request.params.id, now), 'access token')
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
