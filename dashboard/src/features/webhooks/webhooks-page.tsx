import { useState } from 'react'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Time } from '../../ui/time.tsx'
import { CreateButton } from './create-button.tsx'
import { EnabledBadge } from './enabled-badge.tsx'
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
  { header: 'Events', cell: ({ types }) => (types === null ? 'All' : types.join(', ')), from: 'sm' },
  { header: 'Status', cell: ({ enabled }) => <EnabledBadge enabled={enabled} /> },
  { header: 'Updated', cell: ({ updated_at }) => <Time at={updated_at} />, from: 'md' },
]

/** Webhooks of the messaging API. */
export function Page() {
  const list = useList('/admin/v1/webhooks')
  const canEdit = useScopes().hasScope('messaging:write')
  const [secret, setSecret] = useState<string>()
  return (
    <Frame
      title="Webhooks"
      description="URLs that receive messaging events and alerts of budgets, signed according to Standard Webhooks."
      actions={canEdit && <CreateButton onSecret={setSecret} />}
    >
      <DataTable
        label="Webhooks"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No webhooks yet">
            {canEdit ? 'Create a webhook for a service that processes messages.' : 'Ask an owner to create one.'}
          </EmptyState>
        }
      />
      <SecretDialog secret={secret} title="Webhook created" label="signing secret" onClose={() => setSecret(undefined)} />
    </Frame>
  )
}
