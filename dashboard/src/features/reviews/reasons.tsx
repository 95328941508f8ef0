import { List, Text } from '@mantine/core'
import { useRead } from '../../api/queries.ts'
import { Link } from '../../ui/link.tsx'
import { Verdict } from '../../ui/verdict.tsx'
import type { ReviewItem } from './review-item.ts'

/** Why it is here: the rules that demanded it, and what each is for. */
export function Reasons({ item: { rules, policy } }: { readonly item: ReviewItem }) {
  const id = policy?.id ?? ''
  const set = useRead('/admin/v1/policy-sets/{id}', { params: { path: { id } } }, { enabled: id !== '' })
  if (rules.length === 0) return <Text size="sm">No rule: something failed, and what cannot be checked waits for a person.</Text>
  const descriptionOf = (rule: string) => set.data?.rules.find((one) => one.id === rule)?.description
  return (
    <List listStyleType="none" spacing="xs">
      {rules.map((rule) => (
        <List.Item key={`${rule.id} ${rule.point}`}>
          <Text size="sm" component="div">
            <Link to={`/policies/${id}`} search={{ rule: rule.id }} inherit fw={600}>
              {rule.id}
            </Link>{' '}
            <Verdict verdict={rule.verdict} />
          </Text>
          <Text size="sm">{descriptionOf(rule.id)}</Text>
          {rule.error && (
            <Text size="sm" c="red">
              Its condition broke ({rule.error}).
            </Text>
          )}
        </List.Item>
      ))}
    </List>
  )
}
