import { Button, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { ItemOf } from '../../api/operations.ts'
import { useChange, useList } from '../../api/queries.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { showInForm } from '../../ui/form-errors.ts'
import { Section } from '../../ui/section.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { Time } from '../../ui/time.tsx'
import { useUnsaved } from '../../ui/use-unsaved.ts'
import type { User } from './user-form.tsx'

type Token = ItemOf<'/admin/v1/users/{id}/tokens'>

const REFRESH = ['/admin/v1/users/{id}/tokens']

interface AccessTokensProps {
  readonly user: User
  readonly mayChange: boolean
}

/** What a user signs in with to the messaging API. */
export function AccessTokens({ user: { id }, mayChange }: AccessTokensProps) {
  const list = useList('/admin/v1/users/{id}/tokens', { params: { path: { id } } })
  const [token, setToken] = useState<string>()
  const columns: readonly Column<Token>[] = [
    { header: 'Name', cell: ({ name }) => name },
    { header: 'Issued', cell: ({ created_at }) => <Time at={created_at} />, from: 'sm' },
    { header: 'State', cell: (one) => <State token={one} mayRevoke={mayChange} /> },
  ]
  return (
    <Section title="Tokens for the messaging API">
      <DataTable
        label="Tokens for the messaging API"
        list={list}
        columns={columns}
        keyOf={(one) => one.id}
        empty={<Text c="dimmed">None yet.{mayChange && ' With one, their app may read and write messages in their name.'}</Text>}
      />
      {mayChange && <Issue userId={id} onIssued={setToken} />}
      <ShownOnce secret={token} title="The new token" what="the token" onClose={() => setToken(undefined)} />
    </Section>
  )
}

function Issue({ userId, onIssued }: { readonly userId: string; readonly onIssued: (token: string) => void }) {
  const form = useForm({ initialValues: { name: '' } })
  const issue = useChange('post', '/admin/v1/users/{id}/tokens', {
    refresh: REFRESH,
    onDone: ({ token }) => {
      form.reset()
      onIssued(token)
    },
  })
  useUnsaved(form.isDirty() && !issue.isPending)
  const submit = ({ name }: { readonly name: string }) =>
    issue.mutate(
      { params: { path: { id: userId } }, body: name.trim() ? { name: name.trim() } : {} },
      { onError: showInForm(form) },
    )
  return (
    <form onSubmit={form.onSubmit(submit)}>
      <Group gap="xs" align="flex-start">
        <TextInput aria-label="Name of the new token" placeholder="Name: phone, desktop …" {...form.getInputProps('name')} />
        <Button type="submit" variant="default" loading={issue.isPending}>
          Issue a token
        </Button>
      </Group>
    </form>
  )
}

function State({ token: { id, name, revoked_at }, mayRevoke }: { readonly token: Token; readonly mayRevoke: boolean }) {
  const revoke = useChange('post', '/admin/v1/access-tokens/{id}/revoke', { refresh: REFRESH })
  if (revoked_at !== null) {
    return (
      <Text size="sm" c="dimmed">
        revoked <Time at={revoked_at} />
      </Text>
    )
  }
  if (!mayRevoke) return 'active'
  return (
    <ConfirmButton
      aria-label={`Revoke ${name}`}
      question={`Revoke ${name}?`}
      consequence="Whatever uses it is refused from now on. This cannot be taken back."
      onConfirm={() => revoke.mutateAsync({ params: { path: { id } } })}
    >
      Revoke
    </ConfirmButton>
  )
}
