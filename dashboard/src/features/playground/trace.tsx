import { Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import type { AuditRecord } from '../../api/schema.d.ts'
import { useScopes } from '../../api/session.ts'
import { attemptsIn } from '../../ui/attempts.ts'
import { Classification } from '../../ui/classification.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { findingCounts, findingLabel } from '../../ui/finding-labels.ts'
import { formatCount, formatDollars, formatMs } from '../../ui/format-numbers.ts'
import { Level } from '../../ui/level.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { Outcome } from '../../ui/outcome.tsx'
import { Section } from '../../ui/section.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import type { TestTexts } from './policy-test.ts'
import { SaveTestButton } from './save-test-button.tsx'
import { StageList } from './stage-list.tsx'
import { useStageNotes } from './use-stage-notes.tsx'

interface TraceProps {
  readonly auditId: string
  /** The directory user of the chat. */
  readonly as: string | undefined
  /** Texts of the request, for a policy test. */
  readonly texts: TestTexts
}

/** The stages of a request, from its audit record. */
export function Trace({ auditId, as, texts }: TraceProps) {
  const { t } = useTranslation('playground')
  const { hasScope } = useScopes()
  const canReadAudit = hasScope('audit:read')
  const { data, error, refetch } = useRead(
    '/admin/v1/audit/{id}',
    { params: { path: { id: auditId } } },
    { enabled: canReadAudit, staleTime: Number.POSITIVE_INFINITY },
  )
  if (!canReadAudit) return <EmptyState title={t('trace.denied')}>{t('trace.deniedHint')}</EmptyState>
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <RowsSkeleton rows={12} />
  const record = data
  const { decision, knowledge, memory } = record
  const { attempts } = record
  const usageRows: readonly [string, string | null][] = [
    [t('trace.providers'), attemptsIn(attempts) || null],
    [t('trace.tokens'), tokensIn(attempts)],
    [t('trace.cost'), costOf(attempts)],
  ]
  return (
    <Section
      title={t('trace.title')}
      actions={
        <Group gap="xs">
          {hasScope('policies:write') && decision && <SaveTestButton record={record} texts={texts} />}
          <LinkButton to={`/audit/${auditId}`} size="xs" variant="default">
            {t('trace.openRecord')}
          </LinkButton>
        </Group>
      }
    >
      <Stack>
        <Group gap="xs">
          <Outcome of={record} />
          <Level level={record.risk_level} prefix={t('reply.risk')} />
          {record.classification && <Classification level={record.classification} />}
          <Text size="sm" c="dimmed">
            {t('trace.duration', { total: formatMs(record.duration_ms), provider: formatMs(providerMs(record.attempts)) })}
          </Text>
        </Group>
        <Stages record={record} as={as} />
        <DescriptionList
          items={[
            [t('trace.rules'), decision?.rules.map(({ id }) => id).join(', ') || null],
            [t('trace.transforms'), decision?.transforms.join(', ') || null],
            [t('trace.directives'), decision?.directives.join(', ') || null],
            [t('trace.findings'), findingsIn(record.findings) || null],
            [t('trace.passages'), knowledge.length || null],
            [t('trace.memories'), memory.length || null],
            ...(record.dry_run ? [] : usageRows),
          ]}
        />
      </Stack>
    </Section>
  )
}

function Stages({ record, as }: Pick<TraceProps, 'as'> & { readonly record: AuditRecord }) {
  return <StageList stages={record.stages} isDryRun={record.dry_run} noteOf={useStageNotes(record, as)} />
}

const findingsIn = (findings: AuditRecord['findings']): string =>
  Object.entries(findings)
    .flatMap(([stage, counts]) => findingCounts(counts).map(([type, count]) => `${findingLabel(type)} × ${count} (${stage})`))
    .join(', ')

type Attempts = readonly (AuditRecord['attempts'][number] & { readonly ms?: number; readonly cost?: number | null })[]

const sumOf = (attempts: Attempts, read: (attempt: Attempts[number]) => number | null | undefined): number =>
  attempts.reduce((sum, attempt) => sum + (read(attempt) ?? 0), 0)

const providerMs = (attempts: Attempts): number => sumOf(attempts, ({ ms }) => ms)

function tokensIn(attempts: Attempts): string | null {
  const [prompt, completion] = [sumOf(attempts, (one) => one.prompt_tokens), sumOf(attempts, (one) => one.completion_tokens)]
  return prompt + completion === 0 ? null : `${formatCount(prompt)} + ${formatCount(completion)}`
}

const costOf = (attempts: Attempts): string | null =>
  attempts.some(({ cost }) => typeof cost === 'number') ? formatDollars(sumOf(attempts, ({ cost }) => cost)) : null
