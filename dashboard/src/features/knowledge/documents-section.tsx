import { Badge, Box, Group, Switch, Text } from '@mantine/core'
import type { ItemOf } from '../../api/operations.ts'
import { useList } from '../../api/queries.ts'
import { oneOf, textOf, useFilters } from '../../routing/location.ts'
import { Classification } from '../../ui/classification.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { formatReaders } from './acl.ts'

export type Document = ItemOf<'/admin/v1/documents'>

const COLUMNS: readonly Column<Document>[] = [
  { header: 'Document', cell: Title },
  { header: 'Classification', cell: Level, from: 'xs' },
  { header: 'Readers', cell: Readers, from: 'md' },
  { header: 'Chunks', cell: ({ chunks }) => chunks, align: 'right', from: 'sm' },
  { header: 'Updated', cell: ({ updated_at }) => <Time at={updated_at} />, from: 'lg' },
]

const readFilters = ({ only }: Readonly<Record<string, unknown>>) => ({ only: oneOf(['flagged'], textOf(only)) })

interface DocumentsSectionProps {
  readonly collectionId: string
  readonly canAdd: boolean
}

/** Documents of a collection. */
export function DocumentsSection({ collectionId, canAdd }: DocumentsSectionProps) {
  const [{ only }, setFilters] = useFilters(readFilters)
  const query = { collection: collectionId, ...(only && { flagged: 'true' as const }) }
  const list = useList('/admin/v1/documents', { params: { query } })
  return (
    <Section
      title="Documents"
      actions={
        <Switch
          label="Needs review only"
          checked={only === 'flagged'}
          onChange={({ currentTarget }) => setFilters({ only: currentTarget.checked ? 'flagged' : undefined })}
        />
      }
    >
      <DataTable
        label="Documents"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={only ? <NoFlaggedDocuments /> : <NoDocuments canAdd={canAdd} />}
      />
    </Section>
  )
}

const NoFlaggedDocuments = () => (
  <EmptyState title="No documents need review">
    No document of this collection seems to contain instructions for a model.
  </EmptyState>
)

const NoDocuments = ({ canAdd }: { readonly canAdd: boolean }) => (
  <EmptyState title="No documents yet">
    {canAdd ? 'Upload files above or fetch a document from a URL.' : 'Ask an owner to upload documents.'}
  </EmptyState>
)

function Title({ id, title, key, flags }: Document) {
  return (
    <Box>
      <Group gap="xs">
        <Link to={`/knowledge/documents/${id}`}>{title}</Link>
        {flags && <Badge color="orange">Needs review</Badge>}
      </Group>
      {key !== title && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {key}
        </Text>
      )}
    </Box>
  )
}

function Level({ effective }: Document) {
  return <Classification level={effective.classification} />
}

function Readers({ effective }: Document) {
  return formatReaders(effective.acls)
}
