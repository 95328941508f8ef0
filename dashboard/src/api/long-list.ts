import { useQueries } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { InitOf, ItemOf, ListPath, Parameters } from './operations.ts'
import { fromCursor, type List, readPage } from './queries.ts'

/** A list of which only the pages around the visible rows are in memory. Items of other pages are undefined. */
export interface LongList<Item> extends Omit<List<Item>, 'items'> {
  readonly items: readonly (Item | undefined)[] | undefined
  readonly show: (first: number, last: number) => void
}

/** Milliseconds for which a page stays in memory after it was scrolled out of view: the browser collects a large heap in the middle of a frame. */
const KEPT_MS = 5_000
/** Later pages begin below an entry and never change. The first one gets new entries. */
const FIRST_FRESH_MS = 10_000

interface KnownPage {
  /** Undefined: the first page. */
  readonly cursor: string | undefined
  /** Index of its first row. */
  readonly at: number
  /** Undefined until it was loaded once. */
  readonly count?: number
}

interface State {
  readonly key: string
  readonly pages: readonly KnownPage[]
  /** Indexes of the pages that are shown, both inclusive. */
  readonly from: number
  readonly to: number
}

const startOf = (key: string): State => ({ key, pages: [{ cursor: undefined, at: 0 }], from: 0, to: 0 })

interface LoadedPage {
  readonly data: readonly unknown[]
  readonly next_cursor: string | null
}

/** Reads a list of any length: memory and work do not grow with the number of loaded rows. */
export function useLongList<P extends ListPath>(path: P, init: InitOf<'get', P>): LongList<ItemOf<P>> {
  const key = JSON.stringify([path, init])
  const [stored, setState] = useState(() => startOf(key))
  const state = stored.key === key ? stored : startOf(key)
  const update = (change: (state: State) => State) => setState((now) => change(now.key === key ? now : startOf(key)))
  const { from, to } = state
  const shown = state.pages.slice(from, to + 1)
  const results = useQueries({ queries: shown.map(({ cursor }) => pageQuery(path, init, cursor)) })
  const loaded = results.map(({ data }) => data)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when a page is loaded
  useEffect(() => {
    update((now) => loaded.reduce((known, page, index) => withPage(known, from + index, shown[index]?.cursor, page), now))
  }, [key, ...[loaded[0], loaded.at(-1), loaded.length]])
  const items = itemsOf<ItemOf<P>>(state, loaded)
  const previous = useRef(items)
  useEffect(() => {
    if (items) previous.current = items
  })
  const last = state.pages.at(-1)
  const hasMore = last?.count === undefined && state.pages.length > 1
  return {
    items: items ?? previous.current,
    error: results.find(({ error }) => error)?.error,
    hasMore,
    loadingMore: results.length > 0 && hasMore && to === state.pages.length - 1 && results.at(-1)?.isFetching === true,
    loadMore: () => update((now) => ({ ...now, to: now.pages.length - 1 })),
    retry: () => void Promise.all(results.filter(({ error }) => error).map(({ refetch }) => refetch())),
    show: (first, end) => update((now) => showing(now, first, end)),
  }
}

/**
 * Not in the hook: a function of its scope keeps the pages of that render in memory, with the functions of the renders before it.
 */
const pageQuery = <P extends ListPath>(path: P, init: InitOf<'get', P>, cursor: string | undefined) => ({
  queryKey: [path, 'page', init, cursor ?? ''],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    readPage(path, fromCursor(init as Parameters, cursor) as InitOf<'get', P>, signal),
  gcTime: KEPT_MS,
  staleTime: cursor === undefined ? FIRST_FRESH_MS : Number.POSITIVE_INFINITY,
  // Comparing pages costs more than rendering them.
  structuralSharing: false,
})

/** Remembers the length of a page and where the next one begins. Forgets later pages if the page now ends elsewhere. */
function withPage(state: State, index: number, cursor: string | undefined, page: LoadedPage | undefined): State {
  const known = state.pages[index]
  if (!page || !known || known.cursor !== cursor) return state
  const next = page.next_cursor ?? undefined
  if (known.count === page.data.length && state.pages[index + 1]?.cursor === next) return state
  const pages = [...state.pages.slice(0, index), { ...known, count: page.data.length }]
  if (next !== undefined) pages.push({ cursor: next, at: known.at + page.data.length })
  const end = pages.length - 1
  return { ...state, pages, from: Math.min(state.from, end), to: Math.min(state.to, end) }
}

/** The pages of these rows, with one page before and after them. The next unknown page is loaded by `loadMore`. */
function showing(state: State, first: number, last: number): State {
  const indexOf = (row: number) =>
    Math.max(
      state.pages.findLastIndex(({ at, count }) => at <= row && count !== undefined),
      0,
    )
  const known = Math.max(
    state.pages.findLastIndex(({ count }) => count !== undefined),
    0,
  )
  const from = Math.max(indexOf(first) - 1, 0)
  const to = Math.min(indexOf(last) + 1, known)
  const isLoading = state.to > known && indexOf(last) === known
  const end = isLoading ? state.to : to
  return from === state.from && end === state.to ? state : { ...state, from, to: end }
}

function itemsOf<Item>({ pages, from }: State, loaded: readonly (LoadedPage | undefined)[]): (Item | undefined)[] | undefined {
  const last = pages.at(-1)
  const total = last ? last.at + (last.count ?? 0) : 0
  if (pages[0]?.count === undefined) return undefined
  // Sparse, so that its memory does not grow with the rows.
  const items: (Item | undefined)[] = []
  items.length = total
  loaded.forEach((page, index) => {
    const at = pages[from + index]?.at ?? 0
    page?.data.forEach((item, row) => {
      if (at + row < total) items[at + row] = item as Item
    })
  })
  return items
}
