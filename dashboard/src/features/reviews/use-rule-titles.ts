import { useTranslation } from 'react-i18next'
import { useReads } from '../../api/queries.ts'
import { type ReviewItem, ruleOf, titleKey } from './review-item.ts'

/** The title of an item: the description of its rule in the policy version that decided, the rule's id, or the kind of item. */
export function useRuleTitles(items: readonly ReviewItem[]): (item: ReviewItem) => string {
  const { t } = useTranslation('reviews')
  const ids = [...new Set(items.flatMap(({ policy }) => policy?.id ?? []))]
  const versions = useReads(
    '/admin/v1/policy-sets/{id}',
    ids.map((id) => ({ params: { path: { id } } })),
  )
  const rulesOf = new Map(versions.flatMap((version) => (version ? [[version.id, version.rules]] : [])))
  return (item) => {
    const rule = ruleOf(item)
    if (!rule) return t(titleKey(item))
    const description = rulesOf.get(item.policy?.id ?? '')?.find(({ id }) => id === rule.id)?.description
    // Of one sentence, which is part of others here.
    return description?.replace(/\.$/, '') || rule.id
  }
}
