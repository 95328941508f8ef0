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
import { readersInWords } from './acl.ts'

export type Document = ItemOf<'/admin/v1/documents'>

const COLUMNS: readonly Column<Document>[] = [
  { header: 'Document', cell: Title },
  { header: 'Classification', cell: Level, from: 'xs' },
  { header: 'Who may read', cell: Readers, from: 'md' },
  { header: 'Passages', cell: ({ chunks }) => chunks, align: 'right', from: 'sm' },
  { header: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} />, from: 'lg' },
]

const readFilters = ({ only }: Readonly<Record<string, unknown>>) => ({ only: oneOf(['flagged'], textOf(only)) })

interface DocumentsSectionProps {
  readonly collectionId: string
  readonly mayAdd: boolean
}

/** What is in a collection. */
export function DocumentsSection({ collectionId, mayAdd }: DocumentsSectionProps) {
  const [{ only }, setFilters] = useFilters(readFilters)
  const query = { collection: collectionId, ...(only && { flagged: 'true' as const }) }
  const list = useList('/admin/v1/documents', { params: { query } })
  return (
    <Section
      title="Documents"
      actions={
        <Switch
          label="Only what is to be looked at"
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
        empty={only ? <NothingFlagged /> : <NothingYet mayAdd={mayAdd} />}
      />
    </Section>
  )
}

const NothingFlagged = () => (
  <EmptyState title="Nothing to be looked at">No document here seems to hold instructions for a model.</EmptyState>
)

const NothingYet = ({ mayAdd }: { readonly mayAdd: boolean }) => (
  <EmptyState title="No documents yet">
    {mayAdd ? 'Drop files above, or fetch them from a URL.' : 'Nobody has brought any in.'}
  </EmptyState>
)

function Title({ id, title, key, flags }: Document) {
  return (
    <Box>
      <Group gap="xs">
        <Link to={`/knowledge/documents/${id}`}>{title}</Link>
        {flags && (
          <Badge color="orange" variant="light" tt="none">
            to be looked at
          </Badge>
        )}
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
  return readersInWords(effective.acls)
}
