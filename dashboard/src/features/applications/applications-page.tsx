import type { ItemOf } from '../../api/operations.ts'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Classification } from '../../ui/classification.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link } from '../../ui/link.tsx'
import { countOf } from '../../ui/numbers.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { CreateButton } from './create-button.tsx'

export type Application = ItemOf<'/admin/v1/applications'>

const COLUMNS: readonly Column<Application>[] = [
  { header: 'Name', cell: ({ id, name }) => <Link to={`/applications/${id}`}>{name}</Link> },
  { header: 'Models', cell: ({ models }) => models?.join(', ') ?? 'every', from: 'sm' },
  { header: 'Ceiling', cell: ({ ceiling }) => <Classification level={ceiling} /> },
  {
    header: 'Requests a minute',
    cell: ({ limits }) => countOf(limits.requests_per_minute),
    from: 'md',
    align: 'right',
  },
  { header: 'Created', cell: ({ created_at }) => <Time at={created_at} />, from: 'lg' },
]

/** Applications: who may ask the gateway, for what, and how much. */
export function Page() {
  const list = useList('/admin/v1/applications')
  const creates = useScopes().may('applications:write')
  return (
    <Frame
      title="Applications"
      description="Each has keys, models, limits and settings of its own; policies know it by its name."
      actions={creates && <CreateButton />}
    >
      <DataTable
        label="Applications"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No Applications yet">
            {creates ? 'Create the first, then issue a key for it.' : 'Nobody has created one.'}
          </EmptyState>
        }
      />
    </Frame>
  )
}
