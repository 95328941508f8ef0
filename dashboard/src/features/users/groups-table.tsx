import type { List } from '../../api/queries.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'

interface Group {
  readonly name: string
  readonly users: number
}

interface GroupsTableProps {
  /** Also the name of the filter on the users page. */
  readonly kind: 'department' | 'project'
  readonly label: string
  readonly list: List<Group>
}

/** Departments or projects. Each exists as long as it has a user. */
export function GroupsTable({ kind, label, list }: GroupsTableProps) {
  const columns: readonly Column<Group>[] = [
    {
      header: 'Name',
      cell: ({ name }) => (
        <Link to="/settings/users" search={{ [kind]: name }}>
          {name}
        </Link>
      ),
    },
    { header: 'Users', cell: ({ users }) => users, align: 'right' },
  ]
  return (
    <DataTable
      label={label}
      list={list}
      columns={columns}
      keyOf={({ name }) => name}
      empty={
        <EmptyState
          title={`No ${kind}s yet`}
          action={
            <LinkButton to="/settings/users" variant="default">
              Open users
            </LinkButton>
          }
        >
          Edit a user and enter a {kind}.
        </EmptyState>
      }
    />
  )
}
