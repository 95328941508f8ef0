import { useState } from 'react'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { Time } from '../../ui/time.tsx'
import { CreateButton } from './create-button.tsx'
import { Enabled } from './enabled.tsx'
import type { Webhook } from './event-types.ts'

const COLUMNS: readonly Column<Webhook>[] = [
  {
    header: 'URL',
    cell: ({ id, url }) => (
      <Link to={`/settings/webhooks/${id}`} style={{ overflowWrap: 'anywhere' }}>
        {url}
      </Link>
    ),
  },
  { header: 'Events', cell: ({ types }) => (types === null ? 'all' : types.join(', ')), from: 'sm' },
  { header: 'State', cell: ({ enabled }) => <Enabled enabled={enabled} /> },
  { header: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} />, from: 'md' },
]

/** Who is told of what happens in messaging. */
export function Page() {
  const list = useList('/admin/v1/webhooks')
  const changes = useScopes().may('messaging:write')
  const [secret, setSecret] = useState<string>()
  return (
    <Frame
      title="Webhooks"
      description="URLs that are told of what happens in conversations, signed as Standard Webhooks has it."
      actions={changes && <CreateButton onSecret={setSecret} />}
    >
      <DataTable
        label="Webhooks"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No webhooks yet">
            {changes ? 'Add the URL of a service that should hear of messages as they come.' : 'Nobody has added one.'}
          </EmptyState>
        }
      />
      <ShownOnce
        secret={secret}
        title="What its deliveries are signed with"
        what="the secret"
        onClose={() => setSecret(undefined)}
      />
    </Frame>
  )
}
