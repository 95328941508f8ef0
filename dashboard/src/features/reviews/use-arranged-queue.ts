import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { arrangeQueue, type QueueGroup } from './arrange-queue.ts'
import type { ReviewFilters } from './review-filters.ts'
import type { ReviewItem } from './review-item.ts'
import { useExcerpts } from './use-excerpts.ts'
import { useRuleTitles } from './use-rule-titles.ts'
import { useUserText } from './use-user-text.ts'

/** The loaded items with the texts of their rows, as search, sorting and grouping of the filters arrange them. */
export function useArrangedQueue(items: readonly ReviewItem[], filters: ReviewFilters): readonly QueueGroup<ReviewItem>[] {
  const { t } = useTranslation('reviews')
  const { nameOf } = useApplicationNames()
  const titleOf = useRuleTitles(items)
  const userText = useUserText()
  const excerptOf = useExcerpts(items)
  const entries = items.map((item) => ({
    item,
    title: titleOf(item),
    user: userText(item),
    application: item.application_id === null ? t('request.noApplication') : nameOf(item.application_id),
    excerpt: excerptOf(item),
  }))
  return arrangeQueue(entries, filters)
}
