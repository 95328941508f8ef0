import type { QueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { hasStatus } from '../../api/api-error.ts'
import { sendRequest } from '../../api/operations.ts'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { asDecided, countDecided, type Decision } from './as-decided.ts'
import type { ReviewItem } from './review-item.ts'
import { refreshQueue, reviewKey, useRefreshItem } from './use-queue.ts'
import { countAsDecided, STATISTICS_KEY, type Statistics } from './use-statistics.ts'

/** Sends a decision and stores its result. If another reviewer was first, loads the decision of that one. Throws the error. */
export function useSendDecision(): (decision: Decision, queries: QueryClient) => Promise<void> {
  const { t } = useTranslation('reviews')
  const refreshItem = useRefreshItem()
  return async (decision, queries) => {
    const { items, verb } = decision
    const [first, ...others] = items
    if (!first) return
    // Until now the page has counted the decision itself.
    queries.setQueryData(STATISTICS_KEY, (known?: Statistics) => known && countAsDecided(known, countDecided([decision])))
    try {
      if (others.length > 0) await sendBulk(decision, queries)
      else {
        const item = await sendOne(first, decision)
        storeItem(queries, verb === 'deny' ? { ...item, ...ERASED } : item)
        notifySuccess(item.state === 'pending' ? t('approvals.added') : t(`decision.done.${verb}`))
      }
    } catch (error) {
      if (hasStatus(error, 409)) await refreshItem(first.id).catch(() => undefined)
      throw error
    } finally {
      await refreshQueue(queries)
    }
  }

  async function sendBulk(decision: Decision, queries: QueryClient): Promise<void> {
    const { items, comment } = decision
    const body = { ids: items.map(({ id }) => id), ...(comment && { comment }) }
    const { results } = await sendRequest('post', '/admin/v1/reviews/acknowledge', { body, ...optionsOf(items[0]) })
    const failed = results.filter(({ acknowledged }) => !acknowledged)
    const isDone = ({ id }: ReviewItem) => !failed.some((one) => one.id === id)
    const done = items.filter(isDone)
    for (const item of done) storeItem(queries, asDecided(item, [decision]))
    if (done.length > 0) notifySuccess(t('bulk.done', { count: done.length }))
    const message = failed[0]?.error?.message
    if (message !== undefined) notifyError(new Error(t('bulk.failed', { count: failed.length, message })))
  }
}

/** Denied content is erased, also on the page. */
const ERASED = { content: null, marks: [] }

/** The request outlives the page, and belongs to the Workspace of the item even if the page has another one by now. */
const optionsOf = (item: ReviewItem | undefined) => ({
  keepalive: true,
  headers: { 'x-gatehouse-workspace': item?.workspace_id },
})

const sendOne = (item: ReviewItem, { verb, comment }: Decision) =>
  sendRequest('post', `/admin/v1/reviews/{id}/${verb}`, {
    params: { path: { id: item.id } },
    body: comment ? { comment } : {},
    ...optionsOf(item),
  })

/** The content is not loaded again, because each reading is recorded. */
function storeItem(queries: QueryClient, item: ReviewItem): void {
  queries.setQueryData(reviewKey(item.id), (cached: ReviewItem | undefined) => cached && { ...cached, ...item })
}
