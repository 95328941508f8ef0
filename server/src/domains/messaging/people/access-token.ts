import { Type } from 'typebox'
import type { Entity } from '../../../platform/db/from-row.ts'
import { Name, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'

export const ACCESS_TOKEN_COLUMNS = ['id', 'user_id', 'name', 'issued_by', 'created_at', 'revoked_at'] as const
export type AccessTokenColumn = (typeof ACCESS_TOKEN_COLUMNS)[number]

export type AccessToken = Entity<'access_token', AccessTokenColumn>

export const AccessTokenCreate = Type.Object({ name: Type.Optional(Name) })
export const DEFAULT_TOKEN_NAME = 'token'

export const AccessTokenView = Type.Object({
  id: Type.String(),
  object: Type.Literal('access_token'),
  user_id: Type.String(),
  name: Type.String(),
  issued_by: Type.Union([Type.String(), Type.Null()], {
    description: "The operator who issued the token and cannot decide on the user's messages. null: issued on the server.",
  }),
  created_at: Timestamp,
  revoked_at: Type.Union([Timestamp, Type.Null()]),
})

/** The response when a token is issued: the only response that contains the token. */
export const IssuedAccessTokenView = Type.Object(
  { ...AccessTokenView.properties, token: Type.String() },
  { title: 'IssuedAccessToken' },
)

export const accessTokenView = (token: AccessToken) => viewOf(AccessTokenView, token)
