import { Box, Text } from '@mantine/core'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Classification } from '../../ui/classification.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { formatAcl } from './acl.ts'
import type { Collection } from './collection-form.tsx'
import { CreateButton } from './create-button.tsx'

const COLUMNS: readonly Column<Collection>[] = [
  { header: 'Name', cell: Name },
  {
    header: 'Classification',
    cell: ({ classification }) => <Classification level={classification} fallback="None: restricted" />,
  },
  { header: 'Readers', cell: ({ acl }) => formatAcl(acl, 'Set per document'), from: 'sm' },
  {
    header: 'Applications',
    cell: ({ applications }) => (applications === null ? 'All' : applications.length),
    from: 'md',
  },
  { header: 'Updated', cell: ({ updated_at }) => <Time at={updated_at} />, from: 'lg' },
]

/** Collections of documents. */
export function Page() {
  const list = useList('/admin/v1/collections')
  const { hasScope } = useScopes()
  const canCreate = hasScope('knowledge:write')
  return (
    <Frame
      title="Knowledge"
      description="Documents for chat requests. Users only get passages of documents that they can read."
      actions={
        <>
          {hasScope('knowledge:content') && (
            <LinkButton to="/knowledge/search" variant="default">
              Search as user
            </LinkButton>
          )}
          {canCreate && <CreateButton />}
        </>
      }
    >
      <DataTable
        label="Collections"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No collections yet">
            {canCreate
              ? 'A collection has documents with the same readers. Create one, then upload files.'
              : 'Ask an owner to create one.'}
          </EmptyState>
        }
      />
    </Frame>
  )
}

function Name({ id, name, description }: Collection) {
  return (
    <Box>
      <Link to={`/knowledge/${id}`} display="block" w="fit-content">
        {name}
      </Link>
      {description && (
        <Text size="sm" c="dimmed" lineClamp={1}>
          {description}
        </Text>
      )}
    </Box>
  )
}
