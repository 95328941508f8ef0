import { Badge, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useChange, useList } from '../../api/queries.ts'
import type { AccessToken as Token } from '../../api/schema.d.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { NameButton } from '../../ui/name-button.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Section } from '../../ui/section.tsx'
import { Revoked, Time } from '../../ui/time.tsx'
import type { User } from './user.ts'

const REFRESH = ['/admin/v1/users/{id}/tokens']

interface AccessTokensProps {
  readonly user: User
  readonly canEdit: boolean
}

/** Access tokens of a user for the messaging API. */
export function AccessTokens({ user: { id }, canEdit }: AccessTokensProps) {
  const { t } = useTranslation('users')
  const list = useList('/admin/v1/users/{id}/tokens', { params: { path: { id } } })
  const [token, setToken] = useState<string>()
  const columns: readonly Column<Token>[] = [
    { header: t('tokens.columns.name'), cell: ({ name }) => name },
    { header: t('tokens.columns.created'), cell: ({ created_at }) => <Time at={created_at} />, from: 'sm' },
    { header: t('tokens.columns.status'), cell: Status },
    ...(canEdit ? [actionsColumn((one: Token) => <RevokeButton token={one} />)] : []),
  ]
  return (
    <Section title={t('tokens.title')} actions={canEdit && <CreateTokenButton userId={id} onCreated={setToken} />}>
      <DataTable
        label={t('tokens.title')}
        list={list}
        columns={columns}
        keyOf={(one) => one.id}
        empty={<Text c="dimmed">{canEdit ? t('tokens.noneCreate') : t('tokens.none')}</Text>}
      />
      <SecretDialog secret={token} title={t('tokens.created')} label={t('tokens.secret')} onClose={() => setToken(undefined)} />
    </Section>
  )
}

function CreateTokenButton({ userId, onCreated }: { readonly userId: string; readonly onCreated: (token: string) => void }) {
  const { t } = useTranslation('users')
  const create = useChange('post', '/admin/v1/users/{id}/tokens', {
    refresh: REFRESH,
    onDone: ({ token }) => onCreated(token),
  })
  return (
    <NameButton
      variant="default"
      size="xs"
      title={t('tokens.create')}
      description={t('tokens.createHint')}
      action={t('tokens.submit')}
      onName={(name) => create.mutateAsync({ params: { path: { id: userId } }, body: { name } })}
    />
  )
}

function Status({ revoked_at }: Token) {
  const { t } = useTranslation('users')
  return revoked_at === null ? <Badge color="green">{t('tokens.active')}</Badge> : <Revoked at={revoked_at} />
}

function RevokeButton({ token: { id, name, revoked_at } }: { readonly token: Token }) {
  const { t } = useTranslation('users')
  const revoke = useChange('post', '/admin/v1/access-tokens/{id}/revoke', { refresh: REFRESH })
  if (revoked_at !== null) return null
  return (
    <ConfirmButton
      aria-label={t('tokens.revokeNamed', { name })}
      question={t('tokens.question', { name })}
      consequence={t('tokens.consequence')}
      onConfirm={() => revoke.mutateAsync({ params: { path: { id } } })}
    >
      {t('tokens.revoke')}
    </ConfirmButton>
  )
}
