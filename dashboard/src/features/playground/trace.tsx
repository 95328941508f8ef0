import { Group, Stack, Text } from '@mantine/core'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Classification } from '../../ui/classification.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { findingName, foundTypes } from '../../ui/finding-names.ts'
import { Level } from '../../ui/level.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { msOf } from '../../ui/numbers.ts'
import { Section } from '../../ui/section.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { Verdict } from '../../ui/verdict.tsx'
import { type Stage, StageList } from './stage-list.tsx'

/** Of a record, what is shown beside a chat. */
interface TracedRecord {
  readonly duration_ms: number
  readonly dry_run: boolean
  readonly classification: string | null
  readonly risk_level: string | null
  readonly stages: readonly Stage[]
  readonly findings: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly decision: {
    readonly verdict: string
    readonly transforms: readonly string[]
    readonly directives: readonly string[]
    readonly rules: readonly { readonly id: string }[]
  } | null
  readonly attempts: readonly { readonly provider: string; readonly outcome: string }[]
  readonly knowledge: readonly unknown[]
  readonly memory: readonly unknown[]
}

/** One request's way through the twelve stages, from its record. */
export function Trace({ auditId }: { readonly auditId: string }) {
  const reads = useScopes().may('audit:read')
  const { data, error, refetch } = useRead(
    '/admin/v1/audit/{id}',
    { params: { path: { id: auditId } } },
    { enabled: reads, staleTime: Number.POSITIVE_INFINITY },
  )
  if (!reads) return <EmptyState title="Recorded">Who may read the audit log sees its stages.</EmptyState>
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <RowsSkeleton rows={12} />
  const record = data as unknown as TracedRecord
  const { decision, knowledge, memory } = record
  return (
    <Section
      title="Trace"
      actions={
        <LinkButton to={`/audit/${auditId}`} size="xs" variant="default">
          Audit record
        </LinkButton>
      }
    >
      <Stack>
        <Group gap="xs">
          <Verdict verdict={decision?.verdict} />
          <Level level={record.risk_level} of="risk" />
          {record.classification && <Classification level={record.classification} />}
          <Text size="sm" c="dimmed">
            {msOf(record.duration_ms)} in all
          </Text>
        </Group>
        <StageList stages={record.stages} isDryRun={record.dry_run} />
        <Facts
          facts={[
            ['Decided by', decision?.rules.map(({ id }) => id).join(', ') || null],
            ['Changed by', decision?.transforms.join(', ') || null],
            ['Directives', decision?.directives.join(', ') || null],
            ['Found', foundIn(record.findings) || null],
            ['Passages used', knowledge.length || null],
            ['Memories used', memory.length || null],
            ['Providers tried', record.dry_run ? null : attemptsIn(record.attempts) || null],
          ]}
        />
      </Stack>
    </Section>
  )
}

const attemptsIn = (attempts: TracedRecord['attempts']): string =>
  attempts.map(({ provider, outcome }) => `${provider}: ${outcome}`).join(', ')

const foundIn = (findings: TracedRecord['findings']): string =>
  Object.entries(findings)
    .flatMap(([stage, counts]) => foundTypes(counts).map(([type, count]) => `${findingName(type)} × ${count} (${stage})`))
    .join(', ')
