import { Stack, Text } from '@mantine/core'
import { Facts } from '../../ui/facts.tsx'
import { Level } from '../../ui/level.tsx'
import { Link } from '../../ui/link.tsx'
import { Verdict } from '../../ui/verdict.tsx'
import type { AuditRecord } from './audit-record.ts'

/** What was decided, by which rules of which version. */
export function Decision({ record }: { readonly record: AuditRecord }) {
  const { decision, classification, risk_level, policy_versions, review } = record
  const [version] = policy_versions
  return (
    <Stack gap="sm">
      <Facts
        facts={[
          ['Verdict', decision && <Verdict key="verdict" verdict={decision.verdict} />],
          ['Classification', classification && <Level key="classification" level={classification} />],
          ['Risk', risk_level && <Level key="risk" level={risk_level} />],
          [
            'Policies',
            version && (
              <Link key="policy" to={`/policies/${version.id}`}>
                {version.name ?? 'policies'} v{version.version}
              </Link>
            ),
          ],
          ['Transforms', decision?.transforms.join(', ') || null],
          ['Directives', decision?.directives.join(', ') || null],
          [
            'Review',
            review && (
              <Link key="review" to={`/reviews/${review.id}`}>
                {review.state ?? 'opened'}
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
          at {point} <Verdict verdict={verdict} /> {error && `its condition broke (${error})`}
        </Text>
      ))}
      {decision?.rules.length === 0 && <Text size="sm">No rule matched.</Text>}
    </Stack>
  )
}
