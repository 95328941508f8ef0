import { useTranslation } from 'react-i18next'
import type { ResponseOf } from '../../api/operations.ts'
import { useRead } from '../../api/queries.ts'
import { useScopes, useSession } from '../../api/session.ts'

export type Reviewer = ResponseOf<'get', '/admin/v1/reviewers'>['data'][number]

/** The operators who can decide. Sessions without reviews:write do not see their names. */
export function useReviewers() {
  const { t } = useTranslation('reviews')
  const self = useSession().data?.operator.id
  const enabled = useScopes().hasScope('reviews:write')
  const { data } = useRead('/admin/v1/reviewers', {}, { enabled })
  const reviewers = data?.data ?? []
  const nameOf = (id: string): string => {
    if (id === self) return t('assignment.you')
    return reviewers.find((reviewer) => reviewer.id === id)?.name ?? t('assignment.another')
  }
  return { self, reviewers, nameOf, own: reviewers.find(({ id }) => id === self) }
}

export function isAway({ absence }: Reviewer): boolean {
  const now = Date.now()
  return absence !== null && Date.parse(absence.starts_at) <= now && now < Date.parse(absence.ends_at)
}
