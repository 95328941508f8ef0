import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'

/** Descriptions of error responses by status. */
export type Errors = Readonly<Record<number, string>>

/** The properties that all routes of one API share. */
export interface Api {
  /** Tag of the OpenAPI document. */
  readonly tag: string
  /** Accepted security schemes (openapi.ts); one of them is enough. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  /** Errors of every route. */
  readonly errors: Errors
  /** Additional errors of routes with a body. */
  readonly bodyErrors: Errors
  /** Content types of bodies. Default: JSON. */
  readonly consumes?: readonly string[]
}

/** A response that is not described by one schema. */
interface ResponseContent {
  readonly description: string
  readonly content: Readonly<Record<string, { readonly schema: TSchema }>>
}

/** Documentation of a route, and the schemas that its requests are checked against. */
export interface RouteDocs {
  /** `listMessages`; undefined for an alias, which the OpenAPI document does not contain. */
  readonly operationId: string | undefined
  readonly summary: string
  readonly description?: string
  readonly params?: TSchema
  readonly headers?: TSchema
  readonly query?: TProperties
  readonly body?: TSchema
  /** A multipart/form-data body that the handler reads itself. */
  readonly form?: TSchema
  /** By status; null: a response without a body. */
  readonly answers: Readonly<Record<number, TSchema | ResponseContent | null>>
  /** Errors of this route, in addition to those of the API. */
  readonly errors?: Errors
}

/** Type of a parsed query. */
export type QueryOf<Q extends TProperties> = Static<TObject<Q>>

/** The schemas that requests of a route are checked against: they give handlers their types. */
export type Inputs<D> = {
  [K in keyof D as K extends 'params' | 'headers' | 'body' ? K : never]-?: NonNullable<D[K]>
} & (D extends {
  readonly query: infer Q extends TProperties
}
  ? { readonly querystring: TObject<Q> }
  : unknown)

/** Fastify schema of a route. */
export function routeSchema(api: Api, docs: RouteDocs) {
  const { operationId, summary, description, params, headers, query, body, form, answers, errors } = docs
  return {
    ...(operationId === undefined ? { hide: true } : { operationId }),
    summary,
    ...(description !== undefined && { description }),
    tags: [api.tag],
    security: api.security,
    ...(body && { body, ...(api.consumes && { consumes: [...api.consumes] }) }),
    ...(form && { body: form, consumes: ['multipart/form-data'] }),
    ...(params && { params }),
    ...(headers && { headers }),
    ...(query && { querystring: Type.Object(query) }),
    response: {
      ...errorResponses({ ...api.errors, ...(body && api.bodyErrors), ...errors }),
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, response(answer, summary)])),
    } as Record<number, TSchema>,
  }
}

const response = (answer: TSchema | ResponseContent | null, summary: string) =>
  answer ? { description: summary, ...answer } : { type: 'null', description: 'No body.' }

/** `401: …, 404: …` as references to the error envelope. */
const errorResponses = (descriptions: Errors) =>
  Object.fromEntries(Object.entries(descriptions).map(([status, description]) => [status, { $ref: 'Error#', description }]))
