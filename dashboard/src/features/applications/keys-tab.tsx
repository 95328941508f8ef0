import { Code, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useTeamNames } from '../../api/team-names.ts'
import { textOf, useFilters } from '../../routing/location.ts'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { describeRestriction } from '../../ui/restriction.ts'
import { Time } from '../../ui/time.tsx'
import type { ApiKey, CreatedKey } from './api-key.ts'
import type { Application } from './applications-page.tsx'
import { ConnectSection } from './connect-section.tsx'
import { CreateKeyButton } from './create-key-button.tsx'
import { CreatedKeyDialog } from './created-key-dialog.tsx'
import { KeyActions, KeyName, KeyStatus } from './key-cells.tsx'

const readFilters = ({ team, tag }: Readonly<Record<string, unknown>>) => ({ team: textOf(team), tag: textOf(tag) })

/** The Application's API keys, and how clients use them. */
export function KeysTab({ application }: { readonly application: Application }) {
  const { t } = useTranslation('applications')
  const { id } = application
  const [filters, setFilters] = useFilters(readFilters)
  const query = { ...(filters.team && { team_id: filters.team }), ...(filters.tag && { tag: filters.tag }) }
  const isFiltered = Object.keys(query).length > 0
  const list = useList('/admin/v1/applications/{id}/keys', { params: { path: { id }, query } })
  const canEdit = useScopes().hasScope('applications:write') && application.archived_at === null
  const { nameOf: teamName, choices: teams } = useTeamNames()
  const [created, setCreated] = useState<CreatedKey>()
  const createButton = canEdit && <CreateKeyButton applicationId={id} onCreated={setCreated} />
  const columns: Column<ApiKey>[] = [
    { header: t('keys.columns.name'), cell: (key) => <KeyName apiKey={key} /> },
    { header: t('keys.columns.prefix'), cell: ({ hint }) => <Code>{hint}…</Code>, from: 'sm' },
    {
      header: t('keys.columns.lastUsed'),
      cell: ({ last_used_at }) => <Time at={last_used_at} fallback={t('keys.never')} />,
      from: 'xs',
    },
    { header: t('keys.columns.created'), cell: ({ created_at }) => <Time at={created_at} />, from: 'lg' },
    {
      header: t('keys.columns.expires'),
      cell: ({ expires_at }) => <Time at={expires_at} fallback={t('keys.never')} />,
      from: 'md',
    },
    { header: t('keys.fields.team'), cell: ({ team_id }) => team_id && teamName(team_id), from: 'lg' },
    { header: t('keys.columns.restrictions'), cell: describeRestriction, from: 'md' },
    { header: t('keys.columns.status'), cell: (key) => <KeyStatus apiKey={key} /> },
    ...(canEdit ? [actionsColumn((key: ApiKey) => <KeyActions apiKey={key} onRotated={setCreated} />)] : []),
  ]
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <FilterBar
          filters={[
            {
              name: 'team',
              label: t('keys.fields.team'),
              kind: 'choice',
              choices: teams,
              searchable: true,
              pinned: true,
              width: 180,
            },
            { name: 'tag', label: t('keys.filters.tag'), kind: 'text', pinned: true, width: 160 },
          ]}
          values={filters}
          onChange={setFilters}
        />
        {createButton}
      </Group>
      <DataTable
        label={t('keys.label')}
        list={list}
        columns={columns}
        keyOf={(key) => key.id}
        empty={
          isFiltered ? (
            <EmptyState title={t('keys.noMatch.title')}>{t('keys.noMatch.hint')}</EmptyState>
          ) : (
            <EmptyState title={t('keys.none.title')} action={createButton}>
              {canEdit ? t('keys.none.create') : t('keys.none.ask')}
            </EmptyState>
          )
        }
      />
      <ConnectSection application={application} />
      <CreatedKeyDialog application={application} created={created} onClose={() => setCreated(undefined)} />
    </Stack>
  )
}
