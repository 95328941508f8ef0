import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { hasStatus } from '../../api/api-error.ts'
import { useChange } from '../../api/queries.ts'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import type { ReviewItem } from './review-item.ts'
import { reviewKey } from './use-queue.ts'

export type Verb = 'approve' | 'deny' | 'acknowledge'

const DONE: Readonly<Record<Verb, string>> = {
  approve: 'Approved. Request released.',
  deny: 'Denied. Content erased.',
  acknowledge: 'Acknowledged.',
}

/** Decides on an item once. If another reviewer was first, shows the error and the decision. */
export function useDecide({ id }: ReviewItem) {
  const queries = useQueryClient()
  // `isPending` changes only with the next render, which is too late for the second of two fast clicks.
  const sending = useRef(false)
  const after = (verb: Verb) => ({
    onDone: (item: ReviewItem) => {
      notifySuccess(DONE[verb])
      // The content is not loaded again, because each reading is recorded.
      const content = verb === 'deny' ? { content: null, marks: [] } : {}
      queries.setQueryData(reviewKey(id), (cached: ReviewItem | undefined) => cached && { ...cached, ...item, ...content })
      void queries.invalidateQueries({ queryKey: ['/admin/v1/reviews', 'list'] })
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
          notifyError(error)
          if (hasStatus(error, 409)) void queries.invalidateQueries({ queryKey: reviewKey(id) })
        },
      },
    )
  }
  return { decide, pending: Object.values(changes).some(({ isPending }) => isPending) }
}
