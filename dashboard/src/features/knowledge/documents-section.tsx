import { Badge, Box, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ItemOf } from '../../api/operations.ts'
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
import { StateBadge } from './state-badge.tsx'
import { useAclTexts } from './use-acl-texts.ts'

export type Document = ItemOf<'/admin/v1/documents'>

const readFilters = ({ only, q }: Readonly<Record<string, unknown>>) => ({
  q: textOf(q),
  only: oneOf(['flagged', 'failed', 'queued'], textOf(only)),
})

const QUERIES = { flagged: { flagged: 'true' }, failed: { state: 'failed' }, queued: { state: 'queued' } } as const

interface DocumentsSectionProps {
  readonly collectionId: string
  readonly canAdd: boolean
}

export function DocumentsSection({ collectionId, canAdd }: DocumentsSectionProps) {
  const { t } = useTranslation('knowledge')
  const [filters, setFilters] = useFilters(readFilters)
  const columns = useColumns()
  const query = { collection: collectionId, ...(filters.q && { q: filters.q }), ...(filters.only && QUERIES[filters.only]) }
  const list = useList('/admin/v1/documents', { params: { query } })
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
            choices: [
              { value: 'flagged', label: t('documents.needsReview') },
              { value: 'failed', label: t('states.failed') },
              { value: 'queued', label: t('states.queued') },
            ],
          },
        ]}
        values={filters}
        onChange={setFilters}
      >
        <Views page="documents" />
      </FilterBar>
      <DataTable label={t('documents.title')} list={list} columns={columns} keyOf={({ id }) => id} empty={empty} />
    </Section>
  )
}

function useColumns(): readonly Column<Document>[] {
  const { t } = useTranslation('knowledge')
  const { readersOf } = useAclTexts()
  return [
    { header: t('documents.document'), cell: (document) => <Title document={document} /> },
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

function Title({ document: { id, title, key, flags, warning_count, state } }: { readonly document: Document }) {
  const { t } = useTranslation('knowledge')
  return (
    <Box>
      <Group gap="xs">
        <Link to={`/knowledge/documents/${id}`}>{title}</Link>
        <StateBadge state={state} />
        {flags && <Badge color="orange">{t('documents.needsReview')}</Badge>}
        {!!warning_count && <Badge color="yellow">{t('warnings.count', { count: warning_count })}</Badge>}
      </Group>
      {key !== title && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {key}
        </Text>
      )}
    </Box>
  )
}
