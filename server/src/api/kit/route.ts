import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifySchema,
  FastifySchemaCompiler,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify'
import { type Static, type TObject, type TProperties, type TSchema, type TString, Type } from 'typebox'
import { checkAllButBody } from './validation.ts'

export type Errors = Readonly<Record<number, string>>

export interface Api {
  readonly tag: string
  /** Accepted security schemes (openapi.ts); one of them is enough. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly errors: Errors
  readonly bodyErrors: Errors
  /** Content types of bodies. Default: JSON. */
  readonly consumes?: readonly string[]
  readonly validatorCompiler: FastifySchemaCompiler<TSchema>
}

interface ResponseContent {
  readonly description: string
  readonly content: Readonly<Record<string, { readonly schema: TSchema }>>
}

export interface RouteDocs {
  /** `listMessages`; undefined for an alias, which the OpenAPI document does not contain. */
  readonly operationId: string | undefined
  readonly summary: string
  readonly description?: string
  readonly headers?: TSchema
  readonly query?: TProperties
  readonly body?: TSchema
  /** A multipart/form-data body that the handler reads itself. */
  readonly form?: TSchema
  /** By status; null: a response without a body. */
  readonly answers: Readonly<Record<number, TSchema | ResponseContent | null>>
  readonly errors?: Errors
}

export type QueryOf<Q extends TProperties> = Static<TObject<Q>>

export type Target = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

export type Inputs<T extends Target, D> = {
  [K in keyof D as K extends 'headers' | 'body' ? K : never]-?: NonNullable<D[K]>
} & { readonly params: TObject<Record<ParamNames<T>, TString>> } & (D extends { readonly query: infer Q extends TProperties }
    ? { readonly querystring: TObject<Q> }
    : { readonly querystring: TObject<Record<never, never>> })

export type Documented<I> = Omit<ReturnType<typeof route>, 'schema'> & {
  readonly schema: Omit<ReturnType<typeof route>['schema'], 'params' | 'headers' | 'body' | 'querystring'> & I
}

/** A route without its handler: `app.route({ ...route(…), handler })`. The path defines the path parameters. */
export function route(api: Api, target: Target, docs: RouteDocs) {
  const [method, url] = target.split(' ') as [string, string]
  const validatorCompiler = docs.form ? checkAllButBody : api.validatorCompiler
  return { method, url, validatorCompiler, schema: schemaOf(api, paramsOf(url), docs) }
}

function paramsOf(path: string): TObject | undefined {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, Type.String({ pattern: '^[^\\u0000]+$' })])
  return names.length === 0 ? undefined : Type.Object(Object.fromEntries(names))
}

function schemaOf(api: Api, params: TObject | undefined, docs: RouteDocs) {
  const { operationId, summary, description, headers, query, body, form, answers, errors } = docs
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

export const errorResponses = (descriptions: Errors) =>
  Object.fromEntries(Object.entries(descriptions).map(([status, description]) => [status, { $ref: 'Error#', description }]))

/** Fastify with handlers that know the types of their schemas: `app.withTypeProvider<TypeBoxTypeProvider>()`. */
export type TypedApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export type Handler<S extends FastifySchema> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  RouteGenericInterface,
  unknown,
  S,
  TypeBoxTypeProvider
>

export function handle<S extends FastifySchema>(
  app: TypedApp,
  route: Omit<RouteOptions, 'schema' | 'handler'> & { readonly schema: S },
  handler: Handler<S>,
): void {
  app.route({ ...route, handler: handler as RouteOptions['handler'] })
}
