import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { refreshPaths, useList } from '../../api/queries.ts'
import { DOCUMENT_REFRESH } from './document.ts'

/** While uploads wait or are read. */
export const POLL_MS = 2_000
/** Other operators and the API add documents too. */
export const IDLE_MS = 10_000
/** More are not counted. */
const MOST = 100

interface Unfinished {
  readonly count: number
  /** There are more than `count`. */
  readonly hasMore: boolean
}

/** Documents of a collection whose newest upload is not indexed yet. Refreshes lists of documents whenever their number changes. */
export function useUnfinished(collection: string): { readonly queued: Unfinished; readonly parsed: Unfinished } {
  const queries = useQueryClient()
  const queued = useDocumentsIn(collection, 'queued')
  const parsed = useDocumentsIn(collection, 'parsed')
  const numbers = `${queued.count} ${parsed.count}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: the numbers are the reason to refresh
  useEffect(() => void refreshPaths(queries, DOCUMENT_REFRESH), [numbers, queries])
  return { queued, parsed }
}

function useDocumentsIn(collection: string, state: 'queued' | 'parsed'): Unfinished {
  const init = { params: { query: { collection, state, limit: MOST } } }
  const { items = [], hasMore } = useList('/admin/v1/documents', init, { refetchInterval: IDLE_MS })
  // The same query, more often.
  useList('/admin/v1/documents', init, { enabled: items.length > 0, refetchInterval: POLL_MS })
  return { count: items.length, hasMore }
}
