import {
  keepPreviousData,
  type QueryClient,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useRef } from 'react'
import {
  type InitOf,
  type ItemOf,
  type ListPath,
  type Method,
  type Parameters,
  type PathOf,
  type ResponseOf,
  sendRequest,
} from './operations.ts'

interface ReadOptions {
  readonly enabled?: boolean
  /** Refetch interval in milliseconds, while the page is visible. */
  readonly refetchInterval?: number
  /** Keeps the previous data while a query with other parameters loads. */
  readonly keepPrevious?: boolean
  /** Milliseconds for which data counts as fresh, or 'static': it is never refetched, not even after a change. Default: 10 seconds. */
  readonly staleTime?: number | 'static'
}

type Optional<T> = undefined extends T ? [init?: T, options?: ReadOptions] : [init: T, options?: ReadOptions]

/** Reads one object: `useRead('/admin/v1/applications/{id}', { params: { path: { id } } })`. */
export function useRead<P extends PathOf<'get'>>(
  path: P,
  ...[init, { keepPrevious, ...options } = {}]: Optional<InitOf<'get', P>>
) {
  return useQuery({
    queryKey: [path, init ?? {}],
    queryFn: ({ signal }) => sendRequest('get', path, init as InitOf<'get', P>, signal),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
    ...options,
  }) as UseQueryResult<ResponseOf<'get', P>>
}

/** Reads several objects of one path that never change. Those that are not loaded are undefined. */
export function useReads<P extends PathOf<'get'>>(path: P, inits: readonly InitOf<'get', P>[]) {
  const results = useQueries({
    queries: inits.map((init) => ({
      queryKey: [path, init],
      queryFn: ({ signal }: { signal: AbortSignal }) => sendRequest('get', path, init, signal),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  })
  return results.map(({ data }) => data as ResponseOf<'get', P> | undefined)
}

export interface List<Item> {
  /** Undefined until the first page is loaded. */
  readonly items: readonly Item[] | undefined
  readonly error: unknown
  readonly hasMore: boolean
  readonly loadingMore: boolean
  readonly loadMore: () => void
  readonly retry: () => void
}

/** Reads a list page by page: `useList('/admin/v1/audit', { params: { query: { verdict: 'deny' } } })`. */
export function useList<P extends ListPath>(path: P, ...[init, options = {}]: Optional<InitOf<'get', P>>): List<ItemOf<P>> {
  const result = useInfiniteQuery({
    queryKey: [path, 'list', init ?? {}],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => readPage(path, fromCursor(init, pageParam) as InitOf<'get', P>, signal),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    ...options,
  })
  return listOf(result)
}

export const listOf = <Item>(
  result: UseInfiniteQueryResult<{ readonly pages: readonly { readonly data: readonly Item[] }[] }>,
): List<Item> => ({
  items: result.data?.pages.flatMap(({ data }) => data),
  error: result.error,
  hasMore: result.hasNextPage,
  loadingMore: result.isFetchingNextPage,
  loadMore: () => void result.fetchNextPage(),
  retry: () => void result.refetch(),
})

const ALL_FRESH_MS = 60_000

/** Limit for `useAll`: 20,000 items. */
const MAX_PAGES = 200

/** Reads all pages of a list, for select inputs and lookups. */
export function useAll<P extends ListPath>(path: P, ...[init, options = {}]: Optional<InitOf<'get', P>>) {
  const { data, error, refetch } = useQuery({
    queryKey: [path, 'all', init ?? {}],
    queryFn: ({ signal }) => readAll(path, init, signal),
    // A long list takes several requests, and names rarely change.
    staleTime: ALL_FRESH_MS,
    ...options,
  })
  return { items: data, error, retry: () => void refetch() }
}

async function readAll<P extends ListPath>(path: P, init: Parameters | undefined, signal: AbortSignal): Promise<ItemOf<P>[]> {
  const items: ItemOf<P>[] = []
  const first = { ...init, params: { ...init?.params, query: { limit: 100, ...init?.params?.query } } }
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { data, next_cursor } = await readPage(path, fromCursor(first, cursor) as InitOf<'get', P>, signal)
    items.push(...data)
    if (next_cursor === null) break
    cursor = next_cursor
  }
  return items
}

interface Page<Item> {
  readonly data: readonly Item[]
  readonly next_cursor: string | null
}

export const readPage = async <P extends ListPath>(path: P, init: InitOf<'get', P>, signal: AbortSignal) =>
  (await sendRequest('get', path, init, signal)) as unknown as Page<ItemOf<P>>

/** The parameters of the page that begins at the cursor. */
export function fromCursor(init: Parameters | undefined, cursor: string | undefined): Parameters | undefined {
  if (cursor === undefined) return init
  return { ...init, params: { ...init?.params, query: { ...init?.params?.query, cursor } } }
}

interface ChangeOptions<Body> {
  /** Path prefixes whose queries are refetched. */
  readonly refresh?: readonly string[]
  /** Path prefixes whose queries become stale without a refetch, for objects that the change deletes. */
  readonly expire?: readonly string[]
  readonly onDone?: (body: Body) => void
}

/** A mutation: `const create = useChange('post', '/admin/v1/applications', { refresh: ['/admin/v1/applications'] })`. */
export function useChange<M extends Exclude<Method, 'get'>, P extends PathOf<M>>(
  method: M,
  path: P,
  { refresh = [], expire = [], onDone }: ChangeOptions<ResponseOf<M, P>> = {},
): UseMutationResult<ResponseOf<M, P>, Error, InitOf<M, P>> {
  const queries = useQueryClient()
  const inFlight = useRef(new Map<string, Promise<ResponseOf<M, P>>>())
  return useMutation({
    mutationFn: (init: InitOf<M, P>) =>
      shareInFlight(inFlight.current, JSON.stringify(init), () => sendRequest(method, path, init)),
    onSuccess: async (body) => {
      onDone?.(body)
      await Promise.all([refreshPaths(queries, refresh), refreshPaths(queries, expire, 'none')])
    },
  })
}

/** Does not send a request that is in flight again: a double click gets the response of the first click. */
function shareInFlight<T>(inFlight: Map<string, Promise<T>>, key: string, send: () => Promise<T>): Promise<T> {
  const request = inFlight.get(key) ?? send().finally(() => inFlight.delete(key))
  inFlight.set(key, request)
  return request
}

/** Invalidates the queries of paths with one of the `prefixes`. 'active' refetches visible queries at once. */
export async function refreshPaths(
  queries: QueryClient,
  prefixes: readonly string[],
  refetchType: 'active' | 'none' = 'active',
): Promise<void> {
  if (prefixes.length === 0) return
  const isAffected = (path: unknown) => prefixes.some((prefix) => String(path).startsWith(prefix))
  await queries.invalidateQueries({ predicate: ({ queryKey }) => isAffected(queryKey[0]), refetchType })
}
