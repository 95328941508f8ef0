import { Button, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { ItemOf } from '../../api/operations.ts'
import { useChange, useList } from '../../api/queries.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Section } from '../../ui/section.tsx'
import { Revoked, Time } from '../../ui/time.tsx'
import { useUnsavedWarning } from '../../ui/use-unsaved-warning.ts'
import type { User } from './user.ts'

type Token = ItemOf<'/admin/v1/users/{id}/tokens'>

const REFRESH = ['/admin/v1/users/{id}/tokens']

interface AccessTokensProps {
  readonly user: User
  readonly canEdit: boolean
}

/** Access tokens of a user for the messaging API. */
export function AccessTokens({ user: { id }, canEdit }: AccessTokensProps) {
  const list = useList('/admin/v1/users/{id}/tokens', { params: { path: { id } } })
  const [token, setToken] = useState<string>()
  const columns: readonly Column<Token>[] = [
    { header: 'Name', cell: ({ name }) => name },
    { header: 'Created', cell: ({ created_at }) => <Time at={created_at} />, from: 'sm' },
    { header: 'Status', cell: (one) => <Status token={one} canRevoke={canEdit} /> },
  ]
  return (
    <Section title="Access tokens">
      <DataTable
        label="Access tokens"
        list={list}
        columns={columns}
        keyOf={(one) => one.id}
        empty={
          <Text c="dimmed">
            No access tokens yet.{canEdit && ' Create a token for an app that reads and writes messages as this user.'}
          </Text>
        }
      />
      {canEdit && <CreateTokenForm userId={id} onCreated={setToken} />}
      <SecretDialog secret={token} title="Token created" label="token" onClose={() => setToken(undefined)} />
    </Section>
  )
}

function CreateTokenForm({ userId, onCreated }: { readonly userId: string; readonly onCreated: (token: string) => void }) {
  const form = useForm({ initialValues: { name: '' } })
  const create = useChange('post', '/admin/v1/users/{id}/tokens', {
    refresh: REFRESH,
    onDone: ({ token }) => {
      form.reset()
      onCreated(token)
    },
  })
  useUnsavedWarning(form.isDirty() && !create.isPending)
  const submit = ({ name }: { readonly name: string }) =>
    create.mutate(
      { params: { path: { id: userId } }, body: name.trim() ? { name: name.trim() } : {} },
      { onError: showFormError(form) },
    )
  return (
    <form onSubmit={form.onSubmit(submit)}>
      <Group gap="xs" align="flex-start">
        <TextInput aria-label="Name of the new token" placeholder="Name: phone, desktop …" {...form.getInputProps('name')} />
        <Button type="submit" variant="default" loading={create.isPending}>
          Create token
        </Button>
      </Group>
    </form>
  )
}

function Status({ token: { id, name, revoked_at }, canRevoke }: { readonly token: Token; readonly canRevoke: boolean }) {
  const revoke = useChange('post', '/admin/v1/access-tokens/{id}/revoke', { refresh: REFRESH })
  if (revoked_at !== null) return <Revoked at={revoked_at} />
  if (!canRevoke) return 'Active'
  return (
    <ConfirmButton
      aria-label={`Revoke ${name}`}
      question={`Revoke ${name}?`}
      consequence="Requests with this token are refused. This cannot be undone."
      onConfirm={() => revoke.mutateAsync({ params: { path: { id } } })}
    >
      Revoke
    </ConfirmButton>
  )
}
