import { Badge, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ItemOf } from '../../api/operations.ts'
import { useChange, useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { Time } from '../../ui/time.tsx'
import { IssueKeyButton } from './issue-key-button.tsx'

type Key = ItemOf<'/admin/v1/applications/{id}/keys'>

/** The Application's keys: issued once, seen by their first letters, revoked. */
export function KeysTab({ id }: { readonly id: string }) {
  const list = useList('/admin/v1/applications/{id}/keys', { params: { path: { id } } })
  const changes = useScopes().may('applications:write')
  const [issued, setIssued] = useState<string>()
  const columns: Column<Key>[] = [
    { header: 'Name', cell: ({ name }) => name },
    { header: 'Begins with', cell: ({ hint }) => <Code>{hint}…</Code>, from: 'sm' },
    { header: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} otherwise="never" /> },
    { header: 'Issued', cell: ({ created_at }) => <Time at={created_at} />, from: 'md' },
    { header: 'State', cell: (key) => <State shown={key} changes={changes} /> },
  ]
  return (
    <Stack>
      {changes && (
        <Group justify="flex-end">
          <IssueKeyButton applicationId={id} onIssued={setIssued} />
        </Group>
      )}
      <DataTable
        label="Keys"
        list={list}
        columns={columns}
        keyOf={(key) => key.id}
        empty={
          <EmptyState title="No keys yet">
            {changes ? 'Issue one: the Application sends it as its API key.' : 'Nobody has issued one.'}
          </EmptyState>
        }
      />
      <ShownOnce secret={issued} title="The new key" what="the key" onClose={() => setIssued(undefined)} />
    </Stack>
  )
}

function State({ shown: key, changes }: { readonly shown: Key; readonly changes: boolean }) {
  const revoke = useChange('post', '/admin/v1/keys/{id}/revoke', {
    refresh: ['/admin/v1/applications/{id}/keys'],
    onDone: ({ name }) => notifyDone(`${name} is revoked.`),
  })
  if (key.revoked_at !== null) {
    return (
      <Text size="sm" c="dimmed">
        revoked <Time at={key.revoked_at} />
      </Text>
    )
  }
  if (!changes) {
    return (
      <Badge color="green" variant="light" tt="none">
        active
      </Badge>
    )
  }
  return (
    <ConfirmButton
      aria-label={`Revoke ${key.name}`}
      question={`Revoke ${key.name}?`}
      consequence="Whatever uses it is refused from now on, within a second on every node. This cannot be taken back."
      onConfirm={() => revoke.mutateAsync({ params: { path: { id: key.id } } })}
    >
      Revoke
    </ConfirmButton>
  )
}
