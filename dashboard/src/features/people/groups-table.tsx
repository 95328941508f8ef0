import type { List } from '../../api/queries.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'

interface Group {
  readonly name: string
  readonly users: number
}

interface GroupsTableProps {
  /** What they are, and by which filter their users are found. */
  readonly kind: 'department' | 'project'
  readonly label: string
  readonly list: List<Group>
}

/** Departments or projects: each is there as long as somebody is in it. */
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
              To the users
            </LinkButton>
          }
        >
          A {kind} is there as soon as a user is in it: change a user.
        </EmptyState>
      }
    />
  )
}
