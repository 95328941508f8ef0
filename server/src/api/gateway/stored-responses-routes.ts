import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type TProperties, Type } from 'typebox'
import { listedItems } from '../../dialects/openai-responses/openai-responses.ts'
import type { StoredResponse } from '../../domains/responses/stored-response-store.ts'
import { runPipeline } from '../../pipeline/pipeline.ts'
import { EMPTY_REQUEST, type IncomingRequest, type Parsed, type UsedResponse } from '../../pipeline/request.ts'
import { checker } from '../../platform/lib/schema.ts'
import type { StoredContent } from '../../shared/stored-content.ts'
import { handle, route, type TypedApp } from '../kit/route.ts'
import { type ChatDeps, incomingOf } from './chat.ts'
import { preflightRoute } from './cors.ts'
import { GATEWAY, GovernanceBlock, header, named, type Path, REQUEST_ERRORS } from './gateway-schemas.ts'
import { decodeHeader } from './governance-headers.ts'
import { GovernanceUser, invalid, PATTERNS } from './request-fields.ts'
import { ResponseFields } from './responses-schemas.ts'
import { sendResult } from './send-response.ts'

/** Names the user of a request without a body, percent-encoded (GW-GOV-5). */
const USER_HEADER = 'x-gatehouse-user'

/** Typed clients send the list with brackets. It has no effect, because a stored response has all that it ever had. */
const Include = { include: Type.Optional(Type.Unknown()), 'include[]': Type.Optional(Type.Unknown()) }
const ReadQuery = { ...Include, stream: Type.Optional(Type.Literal('false')) }
const ItemsQuery = {
  ...Include,
  limit: Type.Optional(Type.String({ pattern: '^(?:[1-9]\\d?|100)$', description: 'From 1 to 100. Default: 20.' })),
  order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')], { description: 'Default: `desc`.' })),
  after: Type.Optional(Type.String({ description: 'The id of the last item of the page before.' })),
}
interface ItemsPage {
  readonly limit?: string
  readonly order?: 'asc' | 'desc'
  readonly after?: string
}

const headers = Type.Object({
  'x-gateway-user-token': header('A JWT of the end user, verified against the Workspace JWKS.'),
  [USER_HEADER]: header('The user id that `governance.user.id` of the stored request asserted, percent-encoded.'),
})
const errors = { ...REQUEST_ERRORS, 404: 'NOT_FOUND: the Application and the user have no such stored response' }
const nullable = Type.Union([Type.String(), Type.Null()])

const getResponse = (path: Path) =>
  route(GATEWAY, `GET ${path}/:id`, {
    operationId: named(path, 'getResponse'),
    summary: 'Get a stored response',
    description: 'The response as it was sent. Reading is recorded in the audit log.',
    headers,
    query: ReadQuery,
    answers: { 200: Type.Object({ ...ResponseFields, governance: GovernanceBlock }) },
    errors,
  })

const deleteResponse = (path: Path) =>
  route(GATEWAY, `DELETE ${path}/:id`, {
    operationId: named(path, 'deleteResponse'),
    summary: 'Delete a stored response',
    description: 'Responses that continue it stay, but can no longer be continued.',
    headers,
    answers: {
      200: Type.Object(
        { id: Type.String(), object: Type.Literal('response'), deleted: Type.Literal(true) },
        { title: 'DeletedResponse' },
      ),
    },
    errors,
  })

const listInputItems = (path: Path) =>
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

interface Use extends Omit<UsedResponse, 'id'> {
  readonly query: TProperties
  readonly body: (stored: StoredResponse) => unknown
}

/** Stored responses: they are read and deleted by the Application and the user that they belong to (GW-RESP-19). */
export function storedResponseRoutes(app: TypedApp, plain: FastifyInstance, path: Path, deps: ChatDeps): void {
  preflightRoute(plain, `${path}/:id`, 'GET, DELETE')
  preflightRoute(plain, `${path}/:id/input_items`, 'GET')

  const send = async (request: FastifyRequest, reply: FastifyReply, { query, body, ...use }: Use) => {
    const parse = storedResponseParser(request, { id: idOf(request), ...use }, query)
    const result = await runPipeline({ ...incomingOf(request, reply), endpoint: 'stored_responses', parse }, deps)
    const stored = result.trace.results.authorize?.storedResponse
    return sendResult(reply, result, () => stored && body(stored))
  }

  handle(app, getResponse(path), (request, reply) =>
    send(request, reply, { action: 'read', query: ReadQuery, body: ({ content }) => JSON.stringify(content.response) }),
  )
  handle(app, deleteResponse(path), (request, reply) =>
    send(request, reply, { action: 'delete', query: {}, body: ({ id }) => ({ id, object: 'response', deleted: true }) }),
  )
  handle(app, listInputItems(path), (request, reply) => {
    const page = request.query as ItemsPage
    return send(request, reply, {
      action: 'read',
      query: ItemsQuery,
      problemOf: problemOfPage(idOf(request), page),
      body: ({ id, content }) => pageOfItems(id, content, page),
    })
  })
}

const idOf = ({ params }: FastifyRequest): string => (params as { id: string }).id

const checkUser = checker(Type.Object({ [USER_HEADER]: GovernanceUser.properties.id }), PATTERNS)

function storedResponseParser(
  request: FastifyRequest,
  storedResponse: UsedResponse,
  query: TProperties,
): IncomingRequest['parse'] {
  const checkQuery = checker(Type.Object(query, { additionalProperties: false }))
  return (): Parsed => {
    const checkedQuery = checkQuery(request.query)
    if (!checkedQuery.ok) return invalid(checkedQuery.problem)
    const [header, ...others] = request.raw.headersDistinct[USER_HEADER] ?? []
    if (others.length > 0) return invalid({ param: USER_HEADER, message: 'must be sent once' })
    if (header === undefined) return { ok: true, request: { ...EMPTY_REQUEST, storedResponse } }
    const user = checkUser({ [USER_HEADER]: decodeHeader(header) ?? null })
    if (!user.ok) return invalid(user.problem)
    return { ok: true, request: { ...EMPTY_REQUEST, storedResponse, user: { id: String(user.value[USER_HEADER]) } } }
  }
}

const problemOfPage =
  (responseId: string, { after }: ItemsPage): NonNullable<UsedResponse['problemOf']> =>
  ({ input }) =>
    after === undefined || listedItems(responseId, input).some(({ id }) => id === after)
      ? undefined
      : { param: 'after', message: 'after: The response has no such input item. Use the last_id of the page before.' }

function pageOfItems(responseId: string, { input }: StoredContent, query: ItemsPage) {
  const { limit = 20, order = 'desc', after } = query
  const listed = listedItems(responseId, input)
  const items = order === 'asc' ? listed : listed.toReversed()
  const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1
  const data = items.slice(start, start + Number(limit))
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + data.length < items.length,
  }
}
