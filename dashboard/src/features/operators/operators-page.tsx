import { Badge, Group } from '@mantine/core'
import { useState } from 'react'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Time } from '../../ui/time.tsx'
import { InviteButton } from './invite-button.tsx'
import type { Operator } from './operator.ts'
import { OperatorActions } from './operator-actions.tsx'
import { RoleSelect } from './role-select.tsx'

/** Operators of the server and their roles. */
export function Page() {
  const list = useList('/admin/v1/operators')
  const canEdit = useScopes().hasScope('operators:write')
  const [link, setLink] = useState<string>()
  const columns: Column<Operator>[] = [
    { header: 'Name', cell: ({ name }) => name },
    { header: 'Email', cell: ({ email }) => email, from: 'sm' },
    { header: 'Role', cell: (operator) => <RoleSelect operator={operator} readOnly={!canEdit} /> },
    { header: 'Status', cell: Status },
    { header: 'Last sign-in', cell: ({ last_signed_in_at }) => <Time at={last_signed_in_at} fallback="Never" />, from: 'md' },
    ...(canEdit ? [actionsColumn((operator: Operator) => <OperatorActions operator={operator} onLink={setLink} />)] : []),
  ]
  return (
    <Frame
      title="Operators"
      description="People who administer this server with all its Workspaces."
      actions={canEdit && <InviteButton onLink={setLink} />}
    >
      <DataTable
        label="Operators"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<EmptyState title="No operators">Invite an operator.</EmptyState>}
      />
      <SecretDialog secret={link} title="Invitation link" label="link" onClose={() => setLink(undefined)} />
    </Frame>
  )
}

const STATE_LABELS = { invited: 'Invited', active: 'Active', suspended: 'Suspended' } as const

function Status({ state, two_factor }: Operator) {
  return (
    <Group gap={4}>
      <Badge color={state === 'active' ? 'green' : 'gray'}>{STATE_LABELS[state]}</Badge>
      {two_factor && <Badge color="gate">2FA</Badge>}
    </Group>
  )
}
