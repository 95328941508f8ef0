import { findUser } from '../../../domains/identity/user-store.ts'
import {
  type AccessToken,
  AccessTokenCreate,
  AccessTokenView,
  accessTokenView,
  DEFAULT_TOKEN_NAME,
  IssuedAccessTokenView,
} from '../../../domains/messaging/people/access-token.ts'
import { issueAccessToken, listAccessTokens, revokeAccessToken } from '../../../domains/messaging/people/access-token-store.ts'
import { ACCESS_TOKENS_TOPIC } from '../../../domains/messaging/people/member.ts'
import { findResponsibleOperator } from '../../../domains/operators/admin-token-store.ts'
import { requireFound } from '../../../shared/request-errors.ts'
import { bodyOptional } from '../../kit/bodies.ts'
import type { TypedApp } from '../../kit/route.ts'
import type { ChangeDeps } from '../kit/change.ts'
import { resource } from '../kit/resource.ts'

const OF_USER = { path: '/users/:id/tokens', errors: { 404: 'NOT_FOUND: the user, or the Workspace' } } as const

export function accessTokensRoutes(app: TypedApp, deps: ChangeDeps): void {
  const addAction = resource(app, deps, {
    noun: 'access_token',
    path: '/access-tokens',
    area: 'people',
    view: AccessTokenView,
    show: (rows: readonly AccessToken[]) => rows.map(accessTokenView),
    announce: (id) => [ACCESS_TOKENS_TOPIC, id],
    list: {
      ...OF_USER,
      summary: "List a user's tokens for the messaging API, including revoked tokens, oldest first",
      read: async (db, workspaceId, page, { params }) => {
        requireFound(await findUser(db, workspaceId, params.id), 'user')
        return listAccessTokens(db, workspaceId, params.id, page)
      },
    },
    create: {
      ...OF_USER,
      verb: 'issue',
      summary: 'Issue a token for the messaging API. Only this response contains it',
      description: "Not for assistants. The operator who issues a token cannot decide on the user's messages.",
      body: AccessTokenCreate,
      preValidation: bodyOptional,
      fields: ['name'],
      extra: { view: IssuedAccessTokenView, fields: ({ token }: AccessToken & { readonly token: string }) => ({ token }) },
      write: async (tx, { workspaceId, operator, params, body }, now) => {
        const issuer = await findResponsibleOperator(tx, operator.id)
        const { name = DEFAULT_TOKEN_NAME } = body
        return requireFound(await issueAccessToken(tx, workspaceId, params.id, name, now, issuer), 'user')
      },
    },
  })

  addAction({
    verb: 'revoke',
    summary: 'Revoke a token: immediately on this node, within a second on all others',
    description: 'Revoking a revoked token changes nothing.',
    fields: ['revoked_at'],
    write: (tx, { workspaceId, params }, now) => revokeAccessToken(tx, workspaceId, params.id, now),
  })
}
