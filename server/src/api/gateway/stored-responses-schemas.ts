import { Type } from 'typebox'
import { route } from '../kit/route.ts'
import { GATEWAY, GovernanceBlock, named, type Path } from './gateway-schemas.ts'
import { ResponseFields } from './responses-schemas.ts'
import { ItemsQuery, ReadQuery, USER_HEADER } from './stored-responses.ts'

const headers = Type.Object({
  'x-gateway-user-token': Type.Optional(
    Type.String({ description: 'A JWT of the end user, verified against the Workspace JWKS.' }),
  ),
  [USER_HEADER]: Type.Optional(
    Type.String({ description: 'The user id that `governance.user.id` of the stored request asserted, percent-encoded.' }),
  ),
})
const errors = {
  400: 'VALIDATION_ERROR',
  401: 'AUTH_INVALID_KEY, AUTH_KEY_REVOKED or AUTH_INVALID_USER_TOKEN',
  404: 'NOT_FOUND: the Application and the user have no such stored response',
  429: 'RATE_LIMITED, with Retry-After',
}
const nullable = Type.Union([Type.String(), Type.Null()])

export const getResponse = (path: Path) =>
  route(GATEWAY, `GET ${path}/:id`, {
    operationId: named(path, 'getResponse'),
    summary: 'Get a stored response',
    description: 'The response as it was sent. Reading is recorded in the audit log. Rules: GW-RESP-17 to GW-RESP-22.',
    headers,
    query: ReadQuery,
    answers: { 200: Type.Object({ ...ResponseFields, governance: GovernanceBlock }) },
    errors,
  })

export const deleteResponse = (path: Path) =>
  route(GATEWAY, `DELETE ${path}/:id`, {
    operationId: named(path, 'deleteResponse'),
    summary: 'Delete a stored response',
    description: 'Responses that continue it stay, but can no longer be continued (GW-RESP-21).',
    headers,
    answers: {
      200: Type.Object(
        { id: Type.String(), object: Type.Literal('response'), deleted: Type.Literal(true) },
        { title: 'DeletedResponse' },
      ),
    },
    errors,
  })

export const listInputItems = (path: Path) =>
  route(GATEWAY, `GET ${path}/:id/input_items`, {
    operationId: named(path, 'listInputItems'),
    summary: "List the items of a stored response's own input",
    description: 'Reading is recorded in the audit log. Items of the responses that it continues are not included.',
    headers,
    query: ItemsQuery,
    answers: {
      200: Type.Object({
        object: Type.Literal('list'),
        data: Type.Array(Type.Object({ id: Type.String(), type: Type.String() }, { additionalProperties: true })),
        first_id: nullable,
        last_id: nullable,
        has_more: Type.Boolean(),
      }),
    },
    errors,
  })
