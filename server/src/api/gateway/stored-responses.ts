import type { FastifyRequest } from 'fastify'
import { type TProperties, Type } from 'typebox'
import { listedItems } from '../../dialects/openai-responses/stored-input.ts'
import { EMPTY_REQUEST, type IncomingRequest, type Parsed, type UsedResponse } from '../../pipeline/request.ts'
import { checker } from '../../platform/lib/schema.ts'
import type { StoredContent } from '../../shared/stored-content.ts'
import { decodeHeader } from './governance-headers.ts'
import { GovernanceUser, invalid, PATTERNS } from './request-fields.ts'

/** Names the user of a request without a body, percent-encoded (GW-GOV-5). */
export const USER_HEADER = 'x-gatehouse-user'

const DEFAULT_LIMIT = 20

/** Typed clients send the list with brackets. It has no effect, because a stored response has all that it ever had. */
const Include = { include: Type.Optional(Type.Unknown()), 'include[]': Type.Optional(Type.Unknown()) }
export const ReadQuery = { ...Include, stream: Type.Optional(Type.Literal('false')) }
export const ItemsQuery = {
  ...Include,
  limit: Type.Optional(Type.String({ pattern: '^(?:[1-9]\\d?|100)$', description: 'From 1 to 100. Default: 20.' })),
  order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')], { description: 'Default: `desc`.' })),
  after: Type.Optional(Type.String({ description: 'The id of the last item of the page before.' })),
}
export interface ItemsPage {
  readonly limit?: string
  readonly order?: 'asc' | 'desc'
  readonly after?: string
}

const checkUser = checker(Type.Object({ [USER_HEADER]: GovernanceUser.properties.id }), PATTERNS)

/** A parser of requests without a body that read or delete a stored response. */
export function storedResponseParser(
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

/** The problem if `after` is not an item of the response. */
export const problemOfPage =
  (responseId: string, { after }: ItemsPage): NonNullable<UsedResponse['problemOf']> =>
  ({ input }) =>
    after === undefined || listedItems(responseId, input).some(({ id }) => id === after)
      ? undefined
      : { param: 'after', message: 'after: The response has no such input item. Use the last_id of the page before.' }

/** A page of the response's own input items. */
export function pageOfItems(responseId: string, { input }: StoredContent, query: ItemsPage) {
  const { limit = DEFAULT_LIMIT, order = 'desc', after } = query
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
