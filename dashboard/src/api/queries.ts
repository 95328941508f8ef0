import {
  keepPreviousData,
  type QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useRef } from 'react'
import {
  type AnswerOf,
  call,
  type InitOf,
  type ItemOf,
  type ListPath,
  type Method,
  type Parameters,
  type PathOf,
} from './operations.ts'

interface ReadOptions {
  readonly enabled?: boolean
  /** Asks again every so many milliseconds, while the page is looked at. */
  readonly every?: number
  /** While another question is read, the answer to the one before stays: for pages that ask the same again with the time. */
  readonly keepPrevious?: boolean
  /** For so many milliseconds what was read is not read again; default: a few seconds. */
  readonly staleTime?: number
}

type Optional<T> = undefined extends T ? [init?: T, options?: ReadOptions] : [init: T, options?: ReadOptions]

/** One thing: `useRead('/admin/v1/applications/{id}', { params: { path: { id } } })`. */
export function useRead<P extends PathOf<'get'>>(path: P, ...[init, options = {}]: Optional<InitOf<'get', P>>) {
  return useQuery({
    queryKey: [path, init ?? {}],
    queryFn: ({ signal }) => call('get', path, init as InitOf<'get', P>, signal),
    ...(options.enabled !== undefined && { enabled: options.enabled }),
    ...(options.every !== undefined && { refetchInterval: options.every }),
    ...(options.staleTime !== undefined && { staleTime: options.staleTime }),
    ...(options.keepPrevious && { placeholderData: keepPreviousData }),
  }) as UseQueryResult<AnswerOf<'get', P>>
}

/** A list as far as it has been read; `more` reads its next page. */
export interface List<Item> {
  /** Undefined until the first page is there. */
  readonly items: readonly Item[] | undefined
  readonly error: unknown
  readonly hasMore: boolean
  readonly loadingMore: boolean
  readonly more: () => void
  readonly retry: () => void
}

/** A list, page by page: `useList('/admin/v1/audit', { params: { query: { verdict: 'deny' } } })`. */
export function useList<P extends ListPath>(path: P, ...[init, options = {}]: Optional<InitOf<'get', P>>): List<ItemOf<P>> {
  const result = useInfiniteQuery({
    queryKey: [path, 'list', init ?? {}],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => readPage(path, fromCursor(init, pageParam) as InitOf<'get', P>, signal),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    ...(options.enabled !== undefined && { enabled: options.enabled }),
    ...(options.every !== undefined && { refetchInterval: options.every }),
  })
  return {
    items: result.data?.pages.flatMap(({ data }) => data),
    error: result.error,
    hasMore: result.hasNextPage,
    loadingMore: result.isFetchingNextPage,
    more: () => void result.fetchNextPage(),
    retry: () => void result.refetch(),
  }
}

const ALL_FRESH_MS = 60_000

/** How many pages of a list are read at most: 20,000 items. */
const MOST_PAGES = 200

/** A list to its end, for what is chosen from or looked up in it. */
export function useAll<P extends ListPath>(path: P, ...[init, options = {}]: Optional<InitOf<'get', P>>) {
  const { data, error, refetch } = useQuery({
    queryKey: [path, 'all', init ?? {}],
    queryFn: ({ signal }) => readAll(path, init, signal),
    // Long lists take several requests, and are read for names and choices: they may be a little older.
    staleTime: options.staleTime ?? ALL_FRESH_MS,
    ...(options.enabled !== undefined && { enabled: options.enabled }),
  })
  return { items: data, error, retry: () => void refetch() }
}

async function readAll<P extends ListPath>(path: P, init: Parameters | undefined, signal: AbortSignal): Promise<ItemOf<P>[]> {
  const items: ItemOf<P>[] = []
  const first = { ...init, params: { ...init?.params, query: { limit: 100, ...init?.params?.query } } }
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { data, next_cursor } = await readPage(path, fromCursor(first, cursor) as InitOf<'get', P>, signal)
    items.push(...data)
    if (next_cursor === null) break
    cursor = next_cursor
  }
  return items
}

interface ListedPage<Item> {
  readonly data: readonly Item[]
  readonly next_cursor: string | null
}

const readPage = async <P extends ListPath>(path: P, init: InitOf<'get', P>, signal: AbortSignal) =>
  (await call('get', path, init, signal)) as unknown as ListedPage<ItemOf<P>>

function fromCursor(init: Parameters | undefined, cursor: string | undefined): Parameters | undefined {
  if (cursor === undefined) return init
  return { ...init, params: { ...init?.params, query: { ...init?.params?.query, cursor } } }
}

interface ChangeOptions<Answer> {
  /** Whatever was read from paths that begin so is read anew. */
  readonly refresh?: readonly string[]
  /** As `refresh`, for what the change removes while its page is being left: read anew when next it is looked at. */
  readonly expire?: readonly string[]
  readonly onDone?: (answer: Answer) => void
}

/** A change: `const create = useChange('post', '/admin/v1/applications', { refresh: ['/admin/v1/applications'] })`. */
export function useChange<M extends Exclude<Method, 'get'>, P extends PathOf<M>>(
  method: M,
  path: P,
  { refresh = [], expire = [], onDone }: ChangeOptions<AnswerOf<M, P>> = {},
): UseMutationResult<AnswerOf<M, P>, Error, InitOf<M, P>> {
  const queries = useQueryClient()
  const inFlight = useRef(new Map<string, Promise<AnswerOf<M, P>>>())
  return useMutation({
    mutationFn: (init: InitOf<M, P>) => once(inFlight.current, JSON.stringify(init), () => call(method, path, init)),
    onSuccess: async (answer) => {
      onDone?.(answer)
      await Promise.all([refreshPaths(queries, refresh), refreshPaths(queries, expire, 'none')])
    },
  })
}

/** A change that is in flight is not sent a second time: a double click gets the first one's answer. */
function once<T>(inFlight: Map<string, Promise<T>>, key: string, send: () => Promise<T>): Promise<T> {
  const sent = inFlight.get(key) ?? send().finally(() => inFlight.delete(key))
  inFlight.set(key, sent)
  return sent
}

/** Reads anew whatever came from paths that begin with one of `prefixes`; with 'none', when next it is looked at. */
export async function refreshPaths(
  queries: QueryClient,
  prefixes: readonly string[],
  refetchType: 'active' | 'none' = 'active',
): Promise<void> {
  if (prefixes.length === 0) return
  const concerned = (path: unknown) => prefixes.some((prefix) => String(path).startsWith(prefix))
  await queries.invalidateQueries({ predicate: ({ queryKey }) => concerned(queryKey[0]), refetchType })
}
