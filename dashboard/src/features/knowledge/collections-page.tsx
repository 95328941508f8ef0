import { Box, Text } from '@mantine/core'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Classification } from '../../ui/classification.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { aclInWords } from './acl.ts'
import type { Collection } from './collection-form.tsx'
import { CreateButton } from './create-button.tsx'

const COLUMNS: readonly Column<Collection>[] = [
  { header: 'Name', cell: Name },
  {
    header: 'Classification',
    cell: ({ classification }) => <Classification level={classification} otherwise="none: restricted" />,
  },
  { header: 'Who may read', cell: ({ acl }) => aclInWords(acl, 'As each document says'), from: 'sm' },
  {
    header: 'Applications',
    cell: ({ applications }) => (applications === null ? 'Every' : applications.length),
    from: 'md',
  },
  { header: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} />, from: 'lg' },
]

/** Collections of documents: what answers may be based on. */
export function Page() {
  const list = useList('/admin/v1/collections')
  const { may } = useScopes()
  const creates = may('knowledge:write')
  return (
    <Frame
      title="Knowledge"
      description="Documents that answers may be based on. Whoever asks is shown what they may read, and nothing else."
      actions={
        <>
          {may('knowledge:content') && (
            <LinkButton to="/knowledge/search" variant="default">
              Search as a user
            </LinkButton>
          )}
          {creates && <CreateButton />}
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
            {creates
              ? 'A collection holds documents for the same readers. Make one, then drop files into it.'
              : 'Nobody has made one.'}
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
