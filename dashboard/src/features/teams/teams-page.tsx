import { useTranslation } from 'react-i18next'
import type { ItemOf } from '../../api/operations.ts'
import { useChange, useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link } from '../../ui/link.tsx'
import { NameButton } from '../../ui/name-button.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { describeRestriction } from '../../ui/restriction.ts'
import { Time } from '../../ui/time.tsx'

export type Team = ItemOf<'/admin/v1/teams'>

/** The Workspace's teams. */
export function Page() {
  const { t } = useTranslation('teams')
  const list = useList('/admin/v1/teams')
  const canEdit = useScopes().hasScope('applications:write')
  const columns: readonly Column<Team>[] = [
    { header: t('columns.name'), cell: ({ id, name }) => <Link to={`/teams/${id}`}>{name}</Link> },
    { header: t('columns.limits'), cell: describeRestriction },
    {
      header: t('columns.members'),
      cell: ({ members }) => (members ? t('members', { count: members.length }) : members === null && t('everyone')),
      from: 'sm',
    },
    { header: t('columns.created'), cell: ({ created_at }) => <Time at={created_at} />, from: 'md' },
  ]
  return (
    <Frame title={t('title')} description={t('description')} actions={canEdit && <CreateButton />}>
      <DataTable
        label={t('title')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={t('none.title')} action={canEdit && <CreateButton />}>
            {canEdit ? t('none.create') : t('none.ask')}
          </EmptyState>
        }
      />
    </Frame>
  )
}

/** Creates a team and opens it. */
function CreateButton() {
  const { t } = useTranslation('teams')
  const navigateTo = useNavigateTo()
  const create = useChange('post', '/admin/v1/teams', {
    refresh: ['/admin/v1/teams'],
    onDone: ({ id }) => navigateTo(`/teams/${id}`),
  })
  return (
    <NameButton
      title={t('create.title')}
      description={t('create.hint')}
      action={t('create.action')}
      fragment="#create"
      onName={(name) => create.mutateAsync({ body: { name } })}
    />
  )
}
