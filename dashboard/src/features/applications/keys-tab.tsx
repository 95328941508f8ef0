import { Badge, Code, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import type { ItemOf } from '../../api/operations.ts'
import { useChange, useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Revoked, Time } from '../../ui/time.tsx'
import type { Application } from './applications-page.tsx'
import { ConnectSection } from './connect-section.tsx'
import { CreateKeyButton } from './create-key-button.tsx'

type Key = ItemOf<'/admin/v1/applications/{id}/keys'>

/** The Application's API keys, and how clients use them. */
export function KeysTab({ application }: { readonly application: Application }) {
  const { id } = application
  const list = useList('/admin/v1/applications/{id}/keys', { params: { path: { id } } })
  const canEdit = useScopes().hasScope('applications:write')
  const [createdKey, setCreatedKey] = useState<string>()
  const columns: Column<Key>[] = [
    { header: 'Name', cell: ({ name }) => name },
    { header: 'Prefix', cell: ({ hint }) => <Code>{hint}…</Code>, from: 'sm' },
    { header: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} fallback="Never" /> },
    { header: 'Created', cell: ({ created_at }) => <Time at={created_at} />, from: 'md' },
    { header: 'Status', cell: (key) => <Status apiKey={key} canEdit={canEdit} /> },
  ]
  return (
    <Stack>
      {canEdit && (
        <Group justify="flex-end">
          <CreateKeyButton applicationId={id} onCreated={setCreatedKey} />
        </Group>
      )}
      <DataTable
        label="Keys"
        list={list}
        columns={columns}
        keyOf={(key) => key.id}
        empty={
          <EmptyState title="No keys yet">
            {canEdit ? 'Create a key for the Application to send with its requests.' : 'Ask an owner to create one.'}
          </EmptyState>
        }
      />
      <ConnectSection application={application} />
      <SecretDialog secret={createdKey} title="Key created" label="key" onClose={() => setCreatedKey(undefined)} />
    </Stack>
  )
}

function Status({ apiKey: key, canEdit }: { readonly apiKey: Key; readonly canEdit: boolean }) {
  const revoke = useChange('post', '/admin/v1/keys/{id}/revoke', {
    refresh: ['/admin/v1/applications/{id}/keys'],
    onDone: ({ name }) => notifySuccess(`Key ${name} revoked.`),
  })
  if (key.revoked_at !== null) return <Revoked at={key.revoked_at} />
  if (!canEdit) {
    return <Badge color="green">Active</Badge>
  }
  return (
    <ConfirmButton
      aria-label={`Revoke ${key.name}`}
      question={`Revoke ${key.name}?`}
      consequence="Requests with this key are refused within a second. This cannot be undone."
      onConfirm={() => revoke.mutateAsync({ params: { path: { id: key.id } } })}
    >
      Revoke
    </ConfirmButton>
  )
}
