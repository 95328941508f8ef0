import { Stack, Text } from '@mantine/core'
import type { AuditRecord } from '../../api/audit-record.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Level } from '../../ui/level.tsx'
import { Link } from '../../ui/link.tsx'
import { Verdict } from '../../ui/verdict.tsx'

/** The decision, its rules and the policy version. */
export function DecisionDetails({ record }: { readonly record: AuditRecord }) {
  const { decision, classification, risk_level, policy_versions, review } = record
  const [version] = policy_versions
  return (
    <Stack gap="sm">
      <DescriptionList
        items={[
          ['Verdict', decision && <Verdict key="verdict" verdict={decision.verdict} />],
          ['Classification', classification && <Level key="classification" level={classification} />],
          ['Risk', risk_level && <Level key="risk" level={risk_level} />],
          [
            'Policy version',
            version && (
              <Link key="policy" to={`/policies/${version.id}`}>
                {version.name ?? 'Policies'} v{version.version}
              </Link>
            ),
          ],
          ['Transforms', decision?.transforms.join(', ') || null],
          ['Directives', decision?.directives.join(', ') || null],
          [
            'Review item',
            review && (
              <Link key="review" to={`/reviews/${review.id}`}>
                View review item{review.state && ` (${review.state})`}
              </Link>
            ),
          ],
        ]}
      />
      {decision?.rules.map(({ id, point, verdict, error }) => (
        <Text key={`${id} ${point}`} size="sm" component="div">
          <Link to={`/policies/${version?.id ?? ''}`} search={{ rule: id }} inherit fw={600}>
            {id}
          </Link>{' '}
          at {point} <Verdict verdict={verdict} /> {error && `condition failed (${error})`}
        </Text>
      ))}
      {decision?.rules.length === 0 && <Text size="sm">No rule matched.</Text>}
    </Stack>
  )
}
