import { Group, Stack, Text } from '@mantine/core'
import { type AuditRecord, recordOf } from '../../api/audit-record.ts'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { attemptsIn } from '../../ui/attempts.ts'
import { Classification } from '../../ui/classification.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { findingCounts, findingLabel } from '../../ui/finding-labels.ts'
import { formatMs } from '../../ui/format-numbers.ts'
import { Level } from '../../ui/level.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { Verdict } from '../../ui/verdict.tsx'
import { StageList } from './stage-list.tsx'

/** The stages of a request, from its audit record. */
export function Trace({ auditId }: { readonly auditId: string }) {
  const canReadAudit = useScopes().hasScope('audit:read')
  const { data, error, refetch } = useRead(
    '/admin/v1/audit/{id}',
    { params: { path: { id: auditId } } },
    { enabled: canReadAudit, staleTime: Number.POSITIVE_INFINITY },
  )
  if (!canReadAudit) return <EmptyState title="Trace not available">The trace requires the scope audit:read.</EmptyState>
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <RowsSkeleton rows={12} />
  const record = recordOf(data)
  const { decision, knowledge, memory } = record
  return (
    <Section
      title="Trace"
      actions={
        <LinkButton to={`/audit/${auditId}`} size="xs" variant="default">
          Open audit record
        </LinkButton>
      }
    >
      <Stack>
        <Group gap="xs">
          <Verdict verdict={decision?.verdict} />
          <Level level={record.risk_level} prefix="Risk" />
          {record.classification && <Classification level={record.classification} />}
          <Text size="sm" c="dimmed">
            {formatMs(record.duration_ms)} total
          </Text>
        </Group>
        <StageList stages={record.stages} isDryRun={record.dry_run} />
        <DescriptionList
          items={[
            ['Matched rules', decision?.rules.map(({ id }) => id).join(', ') || null],
            ['Transforms', decision?.transforms.join(', ') || null],
            ['Directives', decision?.directives.join(', ') || null],
            ['Findings', findingsIn(record.findings) || null],
            ['Passages used', knowledge.length || null],
            ['Memories used', memory.length || null],
            ['Attempts', record.dry_run ? null : attemptsIn(record.attempts) || null],
          ]}
        />
      </Stack>
    </Section>
  )
}

const findingsIn = (findings: AuditRecord['findings']): string =>
  Object.entries(findings)
    .flatMap(([stage, counts]) => findingCounts(counts).map(([type, count]) => `${findingLabel(type)} × ${count} (${stage})`))
    .join(', ')
