import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { errorResponses } from '../../http/schemas.ts'

/** What a route is called and what it answers, for /openapi.json. */
export interface RouteDocs<Q extends TProperties = TProperties> {
  /** `listMessages` */
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly query?: Q
  /** A body that the route reads by itself, as multipart/form-data. */
  readonly form?: TSchema
  /** By status; null: an answer without a body. */
  readonly answers: Readonly<Record<number, TSchema | null>>
  /** Refusals beside those that every route has. */
  readonly errors?: Readonly<Record<number, string>>
}

export type QueryOf<Q extends TProperties> = Static<TObject<Q>>

const EVERYWHERE = {
  400: 'VALIDATION_ERROR, with the field in `param`',
  401: 'AUTH_INVALID_KEY or AUTH_KEY_REVOKED: not a valid access token',
  429: 'RATE_LIMITED, with Retry-After',
  503: 'UNAVAILABLE',
}
const WITH_BODY = { 413: 'PAYLOAD_TOO_LARGE', 415: 'UNSUPPORTED_MEDIA_TYPE: neither a form nor JSON' }
const FORM = 'application/x-www-form-urlencoded'

/** The schema of a route as the document shows it; requests are checked by the routes themselves. */
export function documented(path: string, docs: RouteDocs, body?: TSchema) {
  const { operationId, summary, description, query, form, answers, errors } = docs
  const params = [...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, Type.String()])
  const answered = Object.entries(answers).map(([status, schema]) => [
    status,
    schema ? { description: summary, ...schema } : { type: 'null', description: 'Done; no body.' },
  ])
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: ['messaging'],
    security: [{ accessToken: [] }],
    ...(params.length > 0 && { params: Type.Object(Object.fromEntries(params)) }),
    ...(query && { querystring: Type.Object(query) }),
    ...(body && { body, consumes: [FORM, 'application/json'] }),
    ...(form && { body: form, consumes: ['multipart/form-data'] }),
    response: {
      ...errorResponses({ ...EVERYWHERE, ...(body && WITH_BODY), ...errors }),
      ...Object.fromEntries(answered),
    } as Record<number, TSchema>,
  }
}
