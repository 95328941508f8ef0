import { Badge, Group } from '@mantine/core'
import { useState } from 'react'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { Time } from '../../ui/time.tsx'
import { InviteButton } from './invite-button.tsx'
import type { Operator } from './operator.ts'
import { OperatorActions } from './operator-actions.tsx'
import { RoleSelect } from './role-select.tsx'

/** Who may operate this server, in which role. */
export function Page() {
  const list = useList('/admin/v1/operators')
  const changes = useScopes().may('operators:write')
  const [link, setLink] = useState<string>()
  const columns: Column<Operator>[] = [
    { header: 'Name', cell: ({ name }) => name },
    { header: 'E-mail', cell: ({ email }) => email, from: 'sm' },
    { header: 'Role', cell: (operator) => <RoleSelect operator={operator} readOnly={!changes} /> },
    { header: 'State', cell: State },
    { header: 'Last signed in', cell: ({ last_signed_in_at }) => <Time at={last_signed_in_at} otherwise="never" />, from: 'md' },
    ...(changes
      ? [
          {
            header: 'Actions',
            hiddenHeader: true,
            align: 'right',
            cell: (operator: Operator) => <OperatorActions operator={operator} onLink={setLink} />,
          } as const,
        ]
      : []),
  ]
  return (
    <Frame
      title="Operators"
      description="People who operate this server, in all of its Workspaces."
      actions={changes && <InviteButton onLink={setLink} />}
    >
      <DataTable
        label="Operators"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<EmptyState title="No operators">Invite the first.</EmptyState>}
      />
      <ShownOnce secret={link} title="A link for them" what="the link" onClose={() => setLink(undefined)} />
    </Frame>
  )
}

function State({ state, two_factor }: Operator) {
  return (
    <Group gap={4}>
      <Badge color={state === 'active' ? 'green' : 'gray'} variant="light" tt="none">
        {state}
      </Badge>
      {two_factor && (
        <Badge color="gate" variant="light" tt="none">
          second factor
        </Badge>
      )}
    </Group>
  )
}
