import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { hasStatus } from '../../api/api-error.ts'
import { useChange } from '../../api/queries.ts'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import type { ReviewItem } from './review-item.ts'
import { refreshQueue, reviewKey, useRefreshItem } from './use-queue.ts'

export type Verb = 'approve' | 'deny' | 'acknowledge'

/**
 * Decides on an item once, then calls `onDecided`. If another reviewer was first, shows the error and the decision. `refusal`: why the
 * operator may not decide, which only the server knows for accounts of the same person.
 */
export function useDecide({ id }: ReviewItem, onDecided: () => void) {
  const { t } = useTranslation('reviews')
  const queries = useQueryClient()
  const refreshItem = useRefreshItem()
  // `isPending` changes only with the next render, which is too late for the second of two fast clicks.
  const sending = useRef(false)
  const [refusal, setRefusal] = useState<string>()
  const after = (verb: Verb) => ({
    onDone: (item: ReviewItem) => {
      notifySuccess(item.state === 'pending' ? t('approvals.added') : t(`decision.done.${verb}`))
      // The content is not loaded again, because each reading is recorded.
      const content = verb === 'deny' ? { content: null, marks: [] } : {}
      queries.setQueryData(reviewKey(id), (cached: ReviewItem | undefined) => cached && { ...cached, ...item, ...content })
      refreshQueue(queries)
      onDecided()
    },
  })
  const changes = {
    approve: useChange('post', '/admin/v1/reviews/{id}/approve', after('approve')),
    deny: useChange('post', '/admin/v1/reviews/{id}/deny', after('deny')),
    acknowledge: useChange('post', '/admin/v1/reviews/{id}/acknowledge', after('acknowledge')),
  }
  const decide = (verb: Verb, comment: string) => {
    if (sending.current) return
    sending.current = true
    changes[verb].mutate(
      { params: { path: { id } }, body: comment.trim() ? { comment: comment.trim() } : {} },
      {
        onError: (error) => {
          sending.current = false
          if (hasStatus(error, 403)) setRefusal(error.message)
          else notifyError(error)
          if (hasStatus(error, 409)) void refreshItem(id).catch(() => undefined)
        },
      },
    )
  }
  return { decide, refusal, pending: Object.values(changes).some(({ isPending }) => isPending) }
}
