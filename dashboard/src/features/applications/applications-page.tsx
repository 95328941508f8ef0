import type { ItemOf } from '../../api/operations.ts'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Classification } from '../../ui/classification.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount } from '../../ui/format-numbers.ts'
import { Link } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { CreateButton } from './create-button.tsx'

export type Application = ItemOf<'/admin/v1/applications'>

const COLUMNS: readonly Column<Application>[] = [
  { header: 'Name', cell: ({ id, name }) => <Link to={`/applications/${id}`}>{name}</Link> },
  { header: 'Models', cell: ({ models }) => models?.join(', ') ?? 'All', from: 'sm' },
  { header: 'Maximum classification', cell: ({ ceiling }) => <Classification level={ceiling} /> },
  {
    header: 'Requests per minute',
    cell: ({ limits }) => formatCount(limits.requests_per_minute),
    from: 'md',
    align: 'right',
  },
  { header: 'Created', cell: ({ created_at }) => <Time at={created_at} />, from: 'lg' },
]

/** The Workspace's Applications. */
export function Page() {
  const list = useList('/admin/v1/applications')
  const canCreate = useScopes().hasScope('applications:write')
  return (
    <Frame
      title="Applications"
      description="Programs that call the gateway. Each has its own keys, models, limits and settings."
      actions={canCreate && <CreateButton />}
    >
      <DataTable
        label="Applications"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No Applications yet">
            {canCreate ? 'Create an Application, then create a key for it.' : 'Ask an owner to create one.'}
          </EmptyState>
        }
      />
    </Frame>
  )
}
