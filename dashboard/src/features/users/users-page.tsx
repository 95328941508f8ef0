import { Group } from '@mantine/core'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { textOf, useFilters } from '../../routing/location.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterField } from '../../ui/filter-field.tsx'
import { Link } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { CreateButton } from './create-button.tsx'
import { projectsOf, type User } from './user.ts'

const COLUMNS: readonly Column<User>[] = [
  { header: 'ID', cell: ({ id }) => <Link to={`/settings/users/${encodeURIComponent(id)}`}>{id}</Link> },
  { header: 'Username', cell: ({ username }) => username, from: 'xs' },
  { header: 'Role', cell: ({ role }) => role },
  { header: 'Department', cell: ({ department }) => department, from: 'sm' },
  { header: 'Projects', cell: (user) => projectsOf(user).join(', '), from: 'md' },
  { header: 'Updated', cell: ({ updated_at }) => <Time at={updated_at} />, from: 'lg' },
]

const readFilters = ({ search, department, project }: Readonly<Record<string, unknown>>) => ({
  search: textOf(search),
  department: textOf(department),
  project: textOf(project),
})

const FILTERS = ['search', 'department', 'project'] as const
const LABELS = { search: 'ID or username', department: 'Department', project: 'Project' }

/** The Workspace's directory of users. */
export function Page() {
  const [filters, setFilters] = useFilters(readFilters)
  const query = Object.fromEntries(Object.entries(filters).filter(([, value]) => value))
  const list = useList('/admin/v1/users', { params: { query } })
  const canCreate = useScopes().hasScope('people:write')
  const filtered = Object.keys(query).length > 0
  return (
    <Frame title="Users" description="People who use Applications and the messaging API." actions={canCreate && <CreateButton />}>
      <Group role="search" aria-label="Filter users" gap="sm">
        {FILTERS.map((name) => (
          <FilterField
            key={name}
            aria-label={LABELS[name]}
            placeholder={LABELS[name]}
            value={filters[name] ?? ''}
            onChange={(value) => setFilters({ [name]: value })}
          />
        ))}
      </Group>
      <DataTable
        label="Users"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          filtered ? (
            <EmptyState title="No matching users">Remove or change filters.</EmptyState>
          ) : (
            <EmptyState title="No users yet">{canCreate ? 'Create a user.' : 'Ask an owner to create users.'}</EmptyState>
          )
        }
      />
    </Frame>
  )
}
