import { Badge, Box, Group, Loader, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/queries.ts'
import { oneOf, textOf, useFilters } from '../../routing/location.ts'
import { Classification } from '../../ui/classification.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { Views } from '../../views/views.tsx'
import type { Document } from './document.ts'
import { RetryButton } from './retry-button.tsx'
import { StateBadge } from './state-badge.tsx'
import { useAclTexts } from './use-acl-texts.ts'
import { POLL_MS, useUnfinished } from './use-unfinished.ts'

const readFilters = ({ only, q }: Readonly<Record<string, unknown>>) => ({
  q: textOf(q),
  only: oneOf(['flagged', 'failed', 'queued', 'unknown'], textOf(only)),
})

const QUERIES = {
  flagged: { flagged: 'true' },
  failed: { state: 'failed' },
  queued: { state: 'queued' },
  unknown: { warnings: 'unknown' },
} as const

interface DocumentsSectionProps {
  readonly collectionId: string
  readonly canAdd: boolean
}

export function DocumentsSection({ collectionId, canAdd }: DocumentsSectionProps) {
  const { t } = useTranslation('knowledge')
  const [filters, setFilters] = useFilters(readFilters)
  const columns = useColumns(canAdd)
  const unfinished = useUnfinished(collectionId)
  const query = { collection: collectionId, ...(filters.q && { q: filters.q }), ...(filters.only && QUERIES[filters.only]) }
  const isUnfinished = unfinished.queued.count + unfinished.parsed.count > 0
  const list = useList('/admin/v1/documents', { params: { query } }, isUnfinished ? { refetchInterval: POLL_MS } : {})
  const empty = filters.q ? (
    <EmptyState title={t('documents.none.found')} />
  ) : filters.only ? (
    <EmptyState title={t(`documents.none.${filters.only}`)} />
  ) : (
    <EmptyState title={t('documents.emptyTitle')}>{canAdd ? t('documents.emptyHint') : t('documents.emptyReadOnly')}</EmptyState>
  )
  return (
    <Section title={t('documents.title')}>
      <FilterBar
        filters={[
          { name: 'q', label: t('documents.search'), kind: 'text', pinned: true, width: 220 },
          {
            name: 'only',
            label: t('documents.status'),
            kind: 'choice',
            pinned: true,
            width: 220,
            choices: [
              { value: 'flagged', label: t('documents.needsReview') },
              { value: 'failed', label: t('states.failed') },
              { value: 'queued', label: t('states.queued') },
              { value: 'unknown', label: t('warnings.unknownShort') },
            ],
          },
        ]}
        values={filters}
        onChange={setFilters}
      >
        <Views page="documents" />
      </FilterBar>
      {isUnfinished && <Unfinished {...unfinished} />}
      <DataTable label={t('documents.title')} list={list} columns={columns} keyOf={({ id }) => id} empty={empty} />
    </Section>
  )
}

function Unfinished({ queued, parsed }: ReturnType<typeof useUnfinished>) {
  const { t } = useTranslation('knowledge')
  const numberOf = ({ count, hasMore }: typeof queued) => (hasMore ? `${count}+` : String(count))
  return (
    <Group gap="xs" role="status">
      <Loader size="xs" aria-hidden />
      <Text size="sm">
        {[
          ...(queued.count > 0 ? [t('documents.waiting', { count: queued.count, number: numberOf(queued) })] : []),
          ...(parsed.count > 0 ? [t('documents.indexing', { count: parsed.count, number: numberOf(parsed) })] : []),
        ].join(' ')}
      </Text>
    </Group>
  )
}

function useColumns(canRetry: boolean): readonly Column<Document>[] {
  const { t } = useTranslation('knowledge')
  const { readersOf } = useAclTexts()
  return [
    { header: t('documents.document'), cell: (document) => <Title document={document} canRetry={canRetry} /> },
    {
      header: t('documents.classification'),
      cell: ({ effective }) => <Classification level={effective.classification} />,
      from: 'xs',
    },
    { header: t('documents.readers'), cell: ({ effective }) => readersOf(effective.acls), from: 'md' },
    { header: t('documents.chunks'), cell: ({ chunks }) => chunks, align: 'right', from: 'sm' },
    { header: t('documents.updated'), cell: ({ updated_at }) => <Time at={updated_at} />, from: 'lg' },
  ]
}

interface TitleProps {
  readonly document: Document
  readonly canRetry: boolean
}

function Title({ document: { id, title, key, flags, warning_count, state, failure }, canRetry }: TitleProps) {
  const { t } = useTranslation('knowledge')
  return (
    <Box>
      <Group gap="xs">
        <Link to={`/knowledge/documents/${id}`}>{title}</Link>
        <StateBadge state={state} />
        {flags && <Badge color="orange">{t('documents.needsReview')}</Badge>}
        {!!warning_count && <Badge color="yellow">{t('warnings.count', { count: warning_count })}</Badge>}
        {warning_count === null && <Badge color="gray">{t('warnings.unknownShort')}</Badge>}
      </Group>
      {key !== title && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {key}
        </Text>
      )}
      {failure && (
        <Group gap="xs">
          <Text size="xs" c="var(--mantine-color-error)" style={{ overflowWrap: 'anywhere' }}>
            {failure.message}
          </Text>
          {canRetry && <RetryButton id={id} name={title} />}
        </Group>
      )}
    </Box>
  )
}
