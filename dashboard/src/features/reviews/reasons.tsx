import { List, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import type { PolicySetWithSource as PolicySet } from '../../api/schema.d.ts'
import { Link } from '../../ui/link.tsx'
import { RuleVerdict } from '../../ui/verdict.tsx'
import type { ReviewItem } from './review-item.ts'

interface ReasonsProps {
  readonly item: ReviewItem
  readonly policy: PolicySet | undefined
}

/** The policy version that decided on an item. */
export function useItemPolicy({ policy }: ReviewItem): { readonly policy: PolicySet | undefined; readonly loading: boolean } {
  const id = policy?.id ?? ''
  const { data, isLoading } = useRead('/admin/v1/policy-sets/{id}', { params: { path: { id } } }, { enabled: id !== '' })
  return { policy: data, loading: isLoading }
}

/** The matched rules of an item with their descriptions. */
export function Reasons({ item: { rules, policy: version }, policy }: ReasonsProps) {
  const { t } = useTranslation('reviews')
  const id = version?.id ?? ''
  if (rules.length === 0) return <Text size="sm">{t('reasons.none')}</Text>
  const ruleOf = (id: string) => policy?.rules.find((one) => one.id === id)
  return (
    <List listStyleType="none" spacing="xs">
      {rules.map((rule) => (
        <List.Item key={`${rule.id} ${rule.point}`}>
          <Text size="sm" component="div">
            <Link to={`/policies/${id}`} search={{ rule: rule.id }} inherit fw={600}>
              {rule.id}
            </Link>{' '}
            <RuleVerdict {...ruleOf(rule.id)} verdict={rule.verdict} />
          </Text>
          <Text size="sm">{ruleOf(rule.id)?.description}</Text>
          {rule.error && (
            <Text size="sm" c="red">
              {t('reasons.broken', { error: rule.error })}
            </Text>
          )}
        </List.Item>
      ))}
    </List>
  )
}
