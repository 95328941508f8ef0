import { useTranslation } from 'react-i18next'
import type { ReviewItem } from './review-item.ts'
import { isAway, useReviewers } from './use-reviewers.ts'

type Assigned = Pick<ReviewItem, 'assigned_to' | 'assigned_for'>

/** Names the assignee of an item, and the absent operator or the delegate of an absence. No assignee: Unassigned. */
export function useAssigneeText(): (item: Assigned) => string {
  const { t } = useTranslation('reviews')
  const { self, reviewers, nameOf } = useReviewers()
  const textFor = (delegate: string, absent: string): string => {
    if (absent === self) return t('assignment.forYou', { delegate: nameOf(delegate) })
    const reviewer = reviewers.find(({ id }) => id === absent)
    const name = reviewer && isAway(reviewer) ? t('assignment.away', { name: reviewer.name }) : nameOf(absent)
    return delegate === self ? t('assignment.toYouFor', { name }) : t('assignment.for', { delegate: nameOf(delegate), name })
  }
  return ({ assigned_to: assignee, assigned_for }) => {
    if (assignee === null) return t('assignment.unassigned')
    if (assigned_for !== null) return textFor(assignee, assigned_for)
    const reviewer = reviewers.find(({ id }) => id === assignee)
    if (reviewer?.absence && isAway(reviewer)) {
      const absence = { name: nameOf(assignee), until: lastDayOf(reviewer.absence.ends_at) }
      const { representative_id } = reviewer
      return representative_id === null
        ? t('assignment.toAbsent', absence)
        : t('assignment.representedBy', { ...absence, delegate: nameOf(representative_id) })
    }
    return assignee === self ? t('assignment.toYou') : t('assignment.to', { name: nameOf(assignee) })
  }
}

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** An absence ends at the beginning of the next day. */
const lastDayOf = (endsAt: string): string => DAY.format(new Date(Date.parse(endsAt) - 1))
