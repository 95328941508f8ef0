import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Time } from '../../ui/time.tsx'
import { CreateButton } from './create-button.tsx'
import { EnabledBadge } from './enabled-badge.tsx'
import { useEventTypes, type Webhook } from './event-types.ts'
import { shownUrl } from './shown-url.ts'

/** Webhooks of the Workspace. */
export function Page() {
  const { t } = useTranslation('webhooks')
  const { listOf } = useEventTypes()
  const columns: readonly Column<Webhook>[] = [
    {
      header: t('columns.url'),
      cell: ({ id, url }) => (
        <Link to={`/settings/webhooks/${id}`} style={{ overflowWrap: 'anywhere' }}>
          {shownUrl(url)}
        </Link>
      ),
    },
    { header: t('columns.format'), cell: ({ format }) => t(`formats.${format}`) },
    { header: t('columns.events'), cell: ({ types }) => listOf(types), from: 'sm' },
    { header: t('columns.status'), cell: ({ enabled }) => <EnabledBadge enabled={enabled} /> },
    { header: t('columns.updated'), cell: ({ updated_at }) => <Time at={updated_at} />, from: 'md' },
  ]
  const list = useList('/admin/v1/webhooks')
  const canEdit = useScopes().hasScope('messaging:write')
  const [secret, setSecret] = useState<string>()
  return (
    <Frame title={t('title')} description={t('description')} actions={canEdit && <CreateButton onSecret={setSecret} />}>
      <DataTable
        label={t('title')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<EmptyState title={t('empty.title')}>{canEdit ? t('empty.create') : t('empty.ask')}</EmptyState>}
      />
      <SecretDialog secret={secret} title={t('create.done')} label={t('create.secret')} onClose={() => setSecret(undefined)} />
    </Frame>
  )
}
