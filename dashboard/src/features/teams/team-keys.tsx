import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import type { ItemOf } from '../../api/operations.ts'
import { useList } from '../../api/queries.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { Revoked, Time } from '../../ui/time.tsx'
import type { Team } from './teams-page.tsx'

type TeamKey = ItemOf<'/admin/v1/teams/{id}/keys'>

/** The keys of a team, of all Applications. */
export function TeamKeys({ team: { id } }: { readonly team: Team }) {
  const { t } = useTranslation('teams')
  const list = useList('/admin/v1/teams/{id}/keys', { params: { path: { id } } })
  const { nameOf } = useApplicationNames()
  const columns: readonly Column<TeamKey>[] = [
    { header: t('keys.key'), cell: ({ name }) => name },
    {
      header: t('keys.application'),
      cell: ({ application_id }) => (
        <Link to={`/applications/${application_id}`} search={{ tab: 'keys' }}>
          {nameOf(application_id)}
        </Link>
      ),
    },
    {
      header: t('keys.lastUsed'),
      cell: ({ last_used_at }) => <Time at={last_used_at} fallback={t('keys.never')} />,
      from: 'sm',
    },
    {
      header: t('keys.status'),
      cell: ({ revoked_at }) =>
        revoked_at === null ? <Badge color="green">{t('keys.active')}</Badge> : <Revoked at={revoked_at} />,
    },
  ]
  return (
    <Section title={t('keys.title')}>
      <DataTable
        label={t('keys.title')}
        list={list}
        columns={columns}
        keyOf={(key) => key.id}
        empty={<EmptyState title={t('keys.none')}>{t('keys.hint')}</EmptyState>}
      />
    </Section>
  )
}
