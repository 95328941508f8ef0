import { useQuery, useQueryClient } from '@tanstack/react-query'
import { sendRequest } from '../../api/operations.ts'
import { useScopes } from '../../api/session.ts'
import { useWorkspace } from '../../api/workspace.ts'
import type { ReviewItem } from './review-item.ts'

/** As the API allows. */
const MAX_AT_ONCE = 50

type Excerpts = Readonly<Record<string, string | null>>
const NONE: Excerpts = {}

/**
 * The first lines of held texts, for operators who decide. Each is read once, because reading is recorded: the audit log has one record for
 * the items that a queue shows at first, and one for those that arrive together later.
 */
export function useExcerpts(items: readonly ReviewItem[]): (item: ReviewItem) => string | undefined {
  const queries = useQueryClient()
  const workspace = useWorkspace()
  const { hasScope } = useScopes()
  const enabled = hasScope('reviews:content') && hasScope('reviews:write')
  // Not below the path of reviews: refreshing these must not read the texts again.
  const key = ['review-excerpts', workspace]
  const known = useQuery({ queryKey: key, queryFn: () => NONE, enabled: false }).data ?? NONE
  const missing = items.filter((item) => isReadable(item) && !Object.hasOwn(known, item.id)).slice(0, MAX_AT_ONCE)
  const ids = missing.map(({ id }) => id).join(',')
  useQuery({
    queryKey: [...key, ids],
    enabled: enabled && ids !== '',
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const init = { params: { query: { ids } } }
      const { data } = await sendRequest('get', '/admin/v1/reviews/excerpts', init, signal)
      const texts = new Map(data.map(({ id, text }) => [id, text]))
      const read = Object.fromEntries(missing.map(({ id }) => [id, texts.get(id) ?? null]))
      queries.setQueryData(key, (before: Excerpts = NONE) => ({ ...before, ...read }))
      return true
    },
  })
  return (item) => (isReadable(item) ? (known[item.id] ?? undefined) : undefined)
}

/** Denied and expired items have no content. */
const isReadable = ({ state }: ReviewItem): boolean => state !== 'denied' && state !== 'expired'
