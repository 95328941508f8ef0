import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch'
import { client } from './client.ts'
import type { paths } from './schema.d.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The paths of the API that know this method. */
export type PathOf<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, object> ? P : never }[keyof paths]

/** What an operation takes: path and query parameters, body. */
export type InitOf<M extends Method, P extends PathOf<M>> = MaybeOptionalInit<paths[P], M>

/** What an operation answers. */
export type AnswerOf<M extends Method, P extends PathOf<M>> = NonNullable<
  FetchResponse<paths[P][M] & Record<string | number, unknown>, unknown, 'application/json'>['data']
>

/** The paths that answer a list, page by page. */
export type ListPath = { [P in PathOf<'get'>]: AnswerOf<'get', P> extends Listed ? P : never }[PathOf<'get'>]

/** One entry of a list. */
export type ItemOf<P extends ListPath> = AnswerOf<'get', P> extends { data: (infer Item)[] } ? Item : never

interface Listed {
  data: unknown[]
  has_more: boolean
  next_cursor: string | null
}

export interface Parameters {
  readonly params?: {
    readonly path?: Readonly<Record<string, unknown>>
    readonly query?: Readonly<Record<string, unknown>>
  }
  readonly body?: unknown
}

type LooseRequest = (method: string, path: string, init: object) => Promise<{ data?: unknown }>

/** Any operation by method and path, typed by those. */
export async function call<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  init: InitOf<M, P>,
  signal?: AbortSignal,
): Promise<AnswerOf<M, P>> {
  // The client's own signature cannot be followed through type parameters; ours says the same.
  const { data } = await (client.request as unknown as LooseRequest)(method, path, { ...init, ...(signal && { signal }) })
  return (data ?? null) as AnswerOf<M, P>
}
