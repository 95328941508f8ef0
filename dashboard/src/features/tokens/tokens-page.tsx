import { Badge, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAll, useChange, useList } from '../../api/queries.ts'
import type { AdminToken as Token } from '../../api/schema.d.ts'
import { useScopes, useSession } from '../../api/session.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Revoked, Time } from '../../ui/time.tsx'
import { CreateButton } from './create-button.tsx'
import { Scopes } from './scopes.tsx'

/** Admin tokens for automation. */
export function Page() {
  const { t } = useTranslation('tokens')
  const list = useList('/admin/v1/tokens')
  const creatorOf = useCreatorNames()
  const canEdit = useScopes().hasScope('operators:write')
  const names = useSession().data?.workspaces ?? []
  const workspacesOf = ({ workspace_ids: ids }: Token) =>
    ids === null ? t('allWorkspaces') : ids.map((id) => names.find((one) => one.id === id)?.name ?? id).join(', ')
  const [token, setToken] = useState<string>()
  const columns: Column<Token>[] = [
    { header: t('columns.name'), cell: ({ name }) => name },
    { header: t('columns.scopes'), cell: (one) => <Scopes token={one} />, from: 'sm' },
    ...(names.length > 1
      ? [{ header: t('columns.workspaces'), cell: (one: Token) => workspacesOf(one), from: 'md' } as const]
      : []),
    { header: t('columns.createdBy'), cell: ({ issued_by }) => creatorOf(issued_by), from: 'md' },
    { header: t('columns.created'), cell: ({ created_at }) => <Time at={created_at} />, from: 'md' },
    { header: t('columns.status'), cell: (one) => <Status token={one} /> },
    ...(canEdit ? [actionsColumn((one: Token) => <RevokeButton token={one} />)] : []),
  ]
  return (
    <Frame title={t('title')} description={t('description')} actions={canEdit && <CreateButton onCreated={setToken} />}>
      <DataTable
        label={t('title')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<EmptyState title={t('empty.title')}>{t('empty.hint')}</EmptyState>}
      />
      <SecretDialog secret={token} title={t('create.done')} label={t('create.secret')} onClose={() => setToken(undefined)} />
    </Frame>
  )
}

/** Names of the operators who created tokens. A token that created tokens is shown by its id. */
function useCreatorNames(): (id: string | null) => string {
  const { t } = useTranslation('tokens')
  const { items = [] } = useAll('/admin/v1/operators')
  return (id) => (id === null ? t('server') : (items.find((one) => one.id === id)?.name ?? id))
}

function Status({ token: { revoked_at, state } }: { readonly token: Token }) {
  const { t } = useTranslation('tokens')
  if (state === 'ended') {
    return (
      <Text size="sm" c="dimmed" title={t('states.endedHint')}>
        {t('states.ended')}
      </Text>
    )
  }
  if (revoked_at === null) {
    return <Badge color="green">{t('states.active')}</Badge>
  }
  return <Revoked at={revoked_at} />
}

function RevokeButton({ token }: { readonly token: Token }) {
  const { t } = useTranslation('tokens')
  const revoke = useChange('post', '/admin/v1/tokens/{id}/revoke', { refresh: ['/admin/v1/tokens'] })
  if (token.revoked_at !== null) return null
  return (
    <ConfirmButton
      aria-label={t('revoke.labelFor', { name: token.name })}
      question={t('revoke.question', { name: token.name })}
      consequence={t('revoke.consequence')}
      onConfirm={() => revoke.mutateAsync({ params: { path: { id: token.id } } })}
    >
      {t('revoke.label')}
    </ConfirmButton>
  )
}
