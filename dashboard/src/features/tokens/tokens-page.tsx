import { Badge, Text } from '@mantine/core'
import { useState } from 'react'
import type { ItemOf } from '../../api/operations.ts'
import { useAll, useChange, useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { Time } from '../../ui/time.tsx'
import { IssueButton } from './issue-button.tsx'

type Token = ItemOf<'/admin/v1/tokens'>

/** Admin tokens: what automation signs in with. */
export function Page() {
  const list = useList('/admin/v1/tokens')
  const issuerOf = useIssuers()
  const changes = useScopes().may('operators:write')
  const [token, setToken] = useState<string>()
  const columns: Column<Token>[] = [
    { header: 'Name', cell: ({ name }) => name },
    { header: 'Scopes', cell: Scopes, from: 'sm' },
    { header: 'Issued by', cell: ({ issued_by }) => issuerOf(issued_by), from: 'md' },
    { header: 'Created', cell: ({ created_at }) => <Time at={created_at} />, from: 'md' },
    { header: 'State', cell: (one) => (changes ? <Revocation token={one} /> : <State token={one} />) },
  ]
  return (
    <Frame
      title="Admin tokens"
      description="For automation: an admin token may use the operators' API, as far as its scopes go."
      actions={changes && <IssueButton onIssued={setToken} />}
    >
      <DataTable
        label="Admin tokens"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<EmptyState title="No admin tokens">Issue one for a script or a pipeline.</EmptyState>}
      />
      <ShownOnce secret={token} title="The new token" what="the token" onClose={() => setToken(undefined)} />
    </Frame>
  )
}

/** Names of people; a token that issued others is called by its id. */
function useIssuers(): (id: string | null) => string {
  const { items = [] } = useAll('/admin/v1/operators')
  return (id) => (id === null ? 'the server itself' : (items.find((one) => one.id === id)?.name ?? id))
}

/** What it may now: of what it was granted, what its issuer's role allows. */
function Scopes({ scopes, effective_scopes, state }: Token) {
  const shown = state === 'active' ? effective_scopes : scopes
  const lost = state === 'active' && effective_scopes.length < scopes.length
  const title = lost ? `Granted ${scopes.join(', ')}; the role of its issuer has no more than these.` : shown.join(', ')
  return (
    <Text size="sm" lineClamp={2} title={title} {...(state !== 'active' && { c: 'dimmed' })}>
      {shown.join(', ') || 'none'}
    </Text>
  )
}

function State({ token: { revoked_at, state } }: { readonly token: Token }) {
  if (state === 'ended') {
    return (
      <Text size="sm" c="dimmed" title="The operator who issued it operates this server no longer.">
        ended with its issuer
      </Text>
    )
  }
  if (revoked_at === null) {
    return (
      <Badge color="green" variant="light" tt="none">
        active
      </Badge>
    )
  }
  return (
    <Text size="sm" c="dimmed">
      revoked <Time at={revoked_at} />
    </Text>
  )
}

function Revocation({ token }: { readonly token: Token }) {
  const revoke = useChange('post', '/admin/v1/tokens/{id}/revoke', { refresh: ['/admin/v1/tokens'] })
  if (token.revoked_at !== null) return <State token={token} />
  return (
    <ConfirmButton
      aria-label={`Revoke ${token.name}`}
      question={`Revoke ${token.name}?`}
      consequence="Whatever uses it is refused from now on. This cannot be taken back."
      onConfirm={() => revoke.mutateAsync({ params: { path: { id: token.id } } })}
    >
      Revoke
    </ConfirmButton>
  )
}
