import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch'
import { client } from './client.ts'
import type { paths } from './schema.d.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Paths of the API that support a method. */
export type PathOf<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, object> ? P : never }[keyof paths]

export type InitOf<M extends Method, P extends PathOf<M>> = MaybeOptionalInit<paths[P], M>

export type ResponseOf<M extends Method, P extends PathOf<M>> = NonNullable<
  FetchResponse<paths[P][M] & Record<string | number, unknown>, unknown, 'application/json'>['data']
>

export type ListPath = { [P in PathOf<'get'>]: ResponseOf<'get', P> extends ListPage ? P : never }[PathOf<'get'>]

export type ItemOf<P extends ListPath> = ResponseOf<'get', P> extends { data: (infer Item)[] } ? Item : never

interface ListPage {
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

/** Sends a request. Method and path determine the types. */
export async function sendRequest<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  init: InitOf<M, P>,
  signal?: AbortSignal,
): Promise<ResponseOf<M, P>> {
  // TypeScript cannot resolve the client's signature through type parameters.
  const { data } = await (client.request as unknown as LooseRequest)(method, path, { ...init, ...(signal && { signal }) })
  return (data ?? null) as ResponseOf<M, P>
}
