import { Box, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { hasStatus } from '../../api/api-error.ts'
import { useRead } from '../../api/queries.ts'
import type { AuditRecord } from '../../api/schema.d.ts'
import { usePathParam } from '../../routing/location.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Level } from '../../ui/level.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { Outcome } from '../../ui/outcome.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { AttemptsSection } from './attempts-section.tsx'
import { ContentSection } from './content-section.tsx'
import { DecisionDetails } from './decision-details.tsx'
import { useEventNames } from './event-names.ts'
import { EventSection, UserSection } from './event-section.tsx'
import { HitsSection } from './hits-section.tsx'
import { PublicationSection } from './publication-section.tsx'
import { RawRecord } from './raw-record.tsx'
import { RecordIntegrity } from './record-integrity.tsx'
import classes from './record-page.module.css'
import { ServicesSection } from './services-section.tsx'
import { StageTimeline } from './stage-timeline.tsx'
import { otherFields, ValuesSection } from './values-section.tsx'

/** One audit record: a request with its stages, or a change by an operator. */
export function Page() {
  const { t } = useTranslation('audit')
  const { nameOf } = useEventNames()
  const id = usePathParam('id')
  const { data: record, error, refetch } = useRead('/admin/v1/audit/{id}', { params: { path: { id } } })
  if (hasStatus(error, 404)) {
    return (
      <EmptyState
        order={1}
        title={t('record.notFound.title')}
        action={<LinkButton to="/audit">{t('record.notFound.action')}</LinkButton>}
      >
        {t('record.notFound.hint')}
      </EmptyState>
    )
  }
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!record) return <PageSkeleton />
  const hasStages = record.stages.length > 0
  return (
    <Frame
      parent={{ to: '/audit', label: t('title') }}
      title={t('record.title', { event: nameOf(record) })}
      description={<Time at={record.created_at} format="seconds" />}
      actions={<Levels record={record} />}
    >
      <Box className={hasStages ? classes.columns : classes.column}>
        {hasStages && (
          <Section title={t('stages.title')}>
            <StageTimeline record={record} />
          </Section>
        )}
        <Details record={record} />
        <Stack>
          <ValuesSection title={t('record.features.title')} hint={t('record.features.hint')} values={record.features} />
          <ValuesSection title={t('record.other.title')} hint={t('record.other.hint')} values={otherFields(record)} />
        </Stack>
      </Box>
    </Frame>
  )
}

/** Outcome and levels next to the title. */
function Levels({ record }: { readonly record: AuditRecord }) {
  const { t } = useTranslation('audit')
  const { risk_level, classification } = record
  return (
    <>
      <Outcome of={record} />
      <Level level={risk_level} prefix={t('columns.risk')} />
      <Level level={classification} />
    </>
  )
}

function Details({ record }: { readonly record: AuditRecord }) {
  const { t } = useTranslation('audit')
  const isPublication = record.change?.action === 'policy_set.publish' || record.change?.restores !== undefined
  const hasVersions = record.policy_versions.length > 0 && !isPublication
  const isDecided = record.decision || record.classification || hasVersions || record.review
  return (
    <Stack>
      <EventSection record={record} />
      {isPublication && <PublicationSection record={record} />}
      <UserSection record={record} />
      {isDecided && (
        <Section title={t('record.decision.title')}>
          <DecisionDetails record={record} />
        </Section>
      )}
      {(record.attempts.length > 0 || record.charge) && <AttemptsSection record={record} />}
      <ServicesSection record={record} />
      {(record.change === null || record.request.hash !== null) && <ContentSection record={record} />}
      <HitsSection record={record} />
      <Section title={t('integrity.title')}>
        <RecordIntegrity record={record} />
      </Section>
      <RawRecord record={record} />
    </Stack>
  )
}
