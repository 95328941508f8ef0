import { useTranslation } from 'react-i18next'
import type { ReviewItem } from './review-item.ts'
import { useReviewers } from './use-reviewers.ts'

type Sent = Pick<ReviewItem, 'user_id' | 'key_id'>

/**
 * Names the user of an item. Requests of the playground have an operator as user, and no key. A request with a key shows the id that the
 * Application sent, which could be that of an operator.
 */
export function useUserText(): (item: Sent) => string {
  const { t } = useTranslation('reviews')
  const { self, reviewers } = useReviewers()
  return ({ user_id: userId, key_id }) => {
    if (userId === '') return t('item.noUser')
    if (key_id !== null) return userId
    if (userId === self) return t('assignment.you')
    return reviewers.find(({ id }) => id === userId)?.name ?? userId
  }
}
