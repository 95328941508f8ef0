import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { hasStatus } from '../../api/api-error.ts'
import { useChange } from '../../api/queries.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import type { ReviewItem } from './review-item.ts'
import { reviewKey } from './use-queue.ts'

export type Verb = 'approve' | 'deny' | 'acknowledge'

const DONE: Readonly<Record<Verb, string>> = {
  approve: 'Approved. Request released.',
  deny: 'Denied. Content erased.',
  acknowledge: 'Acknowledged.',
}

/** Decides on an item, once. Of two reviewers the first decides, and the second is told. */
export function useJudgement({ id }: ReviewItem) {
  const queries = useQueryClient()
  // Set at once, while `isPending` follows after the next rendering: of two fast clicks only the first is sent.
  const sending = useRef(false)
  const after = (verb: Verb) => ({
    onDone: (item: ReviewItem) => {
      notifyDone(DONE[verb])
      // What of the content is left, if any, is not read once more: each reading is recorded.
      const content = verb === 'deny' ? { content: null, marks: [] } : {}
      queries.setQueryData(reviewKey(id), (known: ReviewItem | undefined) => known && { ...known, ...item, ...content })
      void queries.invalidateQueries({ queryKey: ['/admin/v1/reviews', 'list'] })
    },
  })
  const changes = {
    approve: useChange('post', '/admin/v1/reviews/{id}/approve', after('approve')),
    deny: useChange('post', '/admin/v1/reviews/{id}/deny', after('deny')),
    acknowledge: useChange('post', '/admin/v1/reviews/{id}/acknowledge', after('acknowledge')),
  }
  const judge = (verb: Verb, comment: string) => {
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
  return { judge, pending: Object.values(changes).some(({ isPending }) => isPending) }
}
