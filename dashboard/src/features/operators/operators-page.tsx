import { Badge, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/queries.ts'
import { useScopes, useSession } from '../../api/session.ts'
import { oneOf, useFilters } from '../../routing/location.ts'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { roleName } from '../../ui/roles.ts'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { formatSort, parseSort } from '../../ui/table-sort.ts'
import { Time } from '../../ui/time.tsx'
import { InviteButton } from './invite-button.tsx'
import type { Operator } from './operator.ts'
import { OperatorActions } from './operator-actions.tsx'
import { nameOf } from './operator-roles.ts'
import { SingleSignOnSection } from './single-sign-on-section.tsx'

const SORTS = ['name', '-name', 'email', '-email', 'last_signed_in', '-last_signed_in'] as const
const readFilters = (search: Readonly<Record<string, unknown>>) => ({ sort: oneOf(SORTS, search.sort) })

/** Operators and their roles. */
export function Page() {
  const { t } = useTranslation('operators')
  const [{ sort }, setFilters] = useFilters(readFilters)
  const list = useList('/admin/v1/operators', { params: { query: sort ? { sort } : {} } })
  const { hasScope, hasScopeInAll } = useScopes()
  const canEdit = hasScope('operators:write')
  const [link, setLink] = useState<string>()
  const columns: Column<Operator>[] = [
    { header: t('columns.name'), cell: ({ name }) => name, sortBy: 'name' },
    { header: t('columns.email'), cell: ({ email }) => email, from: 'sm', sortBy: 'email' },
    { header: t('columns.roles'), cell: (operator) => <Roles operator={operator} /> },
    { header: t('columns.status'), cell: (operator) => <Status operator={operator} />, from: 'xs' },
    {
      header: t('columns.lastSignIn'),
      cell: ({ last_signed_in_at }) => <Time at={last_signed_in_at} fallback={t('columns.never')} />,
      from: 'md',
      sortBy: 'last_signed_in',
    },
    ...(canEdit ? [actionsColumn((operator: Operator) => <OperatorActions operator={operator} onLink={setLink} />)] : []),
  ]
  return (
    <Frame title={t('title')} description={t('description')} actions={canEdit && <InviteButton onLink={setLink} />}>
      <DataTable
        label={t('title')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        sort={{ value: parseSort(sort), onChange: (next) => setFilters({ sort: oneOf(SORTS, next && formatSort(next)) }) }}
        empty={<EmptyState title={t('empty.title')}>{t('empty.hint')}</EmptyState>}
      />
      {hasScopeInAll('operators:read') && <SingleSignOnSection />}
      <SecretDialog secret={link} title={t('link.title')} label={t('link.label')} onClose={() => setLink(undefined)} />
    </Frame>
  )
}

/** Roles beyond this number are shown in the title. */
const SHOWN_ROLES = 3

function Roles({ operator: { role, workspace_roles } }: { readonly operator: Operator }) {
  const { t } = useTranslation('operators')
  const workspaces = useSession().data?.workspaces ?? []
  const inAll = role === null ? [] : [workspaces.length < 2 ? roleName(role) : t('roles.everywhere', { role: roleName(role) })]
  const inSingle = workspace_roles.map((one) =>
    t('roles.inWorkspace', { role: roleName(one.role), workspace: nameOf(workspaces, one.workspace_id) }),
  )
  const lines = [...inAll, ...inSingle]
  if (lines.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('roles.none')}
      </Text>
    )
  return (
    <Stack gap={2} title={lines.join('\n')}>
      {lines.slice(0, SHOWN_ROLES).map((line) => (
        <Text key={line} size="sm" lineClamp={1}>
          {line}
        </Text>
      ))}
      {lines.length > SHOWN_ROLES && (
        <Text size="sm" c="dimmed">
          {t('roles.more', { count: lines.length - SHOWN_ROLES })}
        </Text>
      )}
    </Stack>
  )
}

function Status({ operator: { state, two_factor } }: { readonly operator: Operator }) {
  const { t } = useTranslation('operators')
  const labels = { invited: t('states.invited'), active: t('states.active'), suspended: t('states.suspended') }
  return (
    <Group gap={4}>
      <Badge color={state === 'active' ? 'green' : 'gray'}>{labels[state]}</Badge>
      {two_factor && <Badge color="gate">{t('twoFactor')}</Badge>}
    </Group>
  )
}
