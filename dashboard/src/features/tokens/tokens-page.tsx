import { Badge, Text } from '@mantine/core'
import { useState } from 'react'
import type { ItemOf } from '../../api/operations.ts'
import { useAll, useChange, useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Revoked, Time } from '../../ui/time.tsx'
import { CreateButton } from './create-button.tsx'

type Token = ItemOf<'/admin/v1/tokens'>

/** Admin tokens for automation. */
export function Page() {
  const list = useList('/admin/v1/tokens')
  const creatorOf = useCreatorNames()
  const canEdit = useScopes().hasScope('operators:write')
  const [token, setToken] = useState<string>()
  const columns: Column<Token>[] = [
    { header: 'Name', cell: ({ name }) => name },
    { header: 'Scopes', cell: Scopes, from: 'sm' },
    { header: 'Created by', cell: ({ issued_by }) => creatorOf(issued_by), from: 'md' },
    { header: 'Created', cell: ({ created_at }) => <Time at={created_at} />, from: 'md' },
    { header: 'Status', cell: (one) => (canEdit ? <RevokeButton token={one} /> : <Status token={one} />) },
  ]
  return (
    <Frame
      title="Admin tokens"
      description="Tokens for scripts that use the admin API. Scopes limit the operations."
      actions={canEdit && <CreateButton onCreated={setToken} />}
    >
      <DataTable
        label="Admin tokens"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<EmptyState title="No admin tokens">Create a token for a script or pipeline.</EmptyState>}
      />
      <SecretDialog secret={token} title="Token created" label="token" onClose={() => setToken(undefined)} />
    </Frame>
  )
}

/** Names of the operators who created tokens. A token that created tokens is shown by its id. */
function useCreatorNames(): (id: string | null) => string {
  const { items = [] } = useAll('/admin/v1/operators')
  return (id) => (id === null ? 'Server' : (items.find((one) => one.id === id)?.name ?? id))
}

/** Effective scopes: the granted scopes that the creator's role allows. */
function Scopes({ scopes, effective_scopes, state }: Token) {
  const shown = state === 'active' ? effective_scopes : scopes
  const isReduced = state === 'active' && effective_scopes.length < scopes.length
  const title = isReduced ? `Granted: ${scopes.join(', ')}. The creator's role allows only these.` : shown.join(', ')
  return (
    <Text size="sm" lineClamp={2} title={title} {...(state !== 'active' && { c: 'dimmed' })}>
      {shown.join(', ') || 'None'}
    </Text>
  )
}

function Status({ token: { revoked_at, state } }: { readonly token: Token }) {
  if (state === 'ended') {
    return (
      <Text size="sm" c="dimmed" title="The operator who created the token was removed.">
        Creator removed
      </Text>
    )
  }
  if (revoked_at === null) {
    return <Badge color="green">Active</Badge>
  }
  return <Revoked at={revoked_at} />
}

function RevokeButton({ token }: { readonly token: Token }) {
  const revoke = useChange('post', '/admin/v1/tokens/{id}/revoke', { refresh: ['/admin/v1/tokens'] })
  if (token.revoked_at !== null) return <Status token={token} />
  return (
    <ConfirmButton
      aria-label={`Revoke ${token.name}`}
      question={`Revoke ${token.name}?`}
      consequence="Requests with this token are refused. This cannot be undone."
      onConfirm={() => revoke.mutateAsync({ params: { path: { id: token.id } } })}
    >
      Revoke
    </ConfirmButton>
  )
}
