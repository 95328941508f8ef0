import { Alert, Group, Tabs } from '@mantine/core'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { oneOf, useFilters, usePathParam } from '../../routing/location.ts'
import { Copyable } from '../../ui/copy.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { ArchiveButton, ArchivedNotice } from './archive.tsx'
import { KeysTab } from './keys-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { UsageTab } from './usage-tab.tsx'

const TABS = ['usage', 'keys', 'settings'] as const
const readTab = ({ tab }: Readonly<Record<string, unknown>>) => ({ tab: oneOf(TABS, tab) ?? 'usage' })

/** One Application: usage, keys and settings. */
export function Page() {
  const { t } = useTranslation('applications')
  const id = usePathParam('id')
  const { data: application, error, refetch } = useRead('/admin/v1/applications/{id}', { params: { path: { id } } })
  const { hasScope } = useScopes()
  const [canUsePlayground, canEdit] = [hasScope('playground:use'), hasScope('applications:write')]
  const [{ tab }, setFilters] = useFilters(readTab)
  // The settings stay mounted once opened, so that unsaved changes survive a switch of tabs.
  const settingsOpened = useRef(false)
  settingsOpened.current ||= tab === 'settings'
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!application) return <PageSkeleton />
  return (
    <Frame
      title={application.name}
      description={<Copyable value={id} label={t('application.id')} />}
      parent={{ to: '/applications', label: t('application.all') }}
      actions={
        application.archived_at === null && (
          <Group gap="xs">
            {canUsePlayground && (
              <LinkButton to="/playground" search={{ application: id }} variant="default">
                {t('application.openPlayground')}
              </LinkButton>
            )}
            {canEdit && <ArchiveButton application={application} />}
          </Group>
        )
      }
    >
      {application.archived_at !== null && <ArchivedNotice application={application} />}
      {application.warnings.map((warning) => (
        <Alert key={warning} color="yellow" variant="outline" mb="md">
          {warning}
        </Alert>
      ))}
      <Tabs value={tab} onChange={(value) => setFilters({ tab: oneOf(TABS, value) ?? 'usage' })} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="usage">{t('application.tabs.usage')}</Tabs.Tab>
          <Tabs.Tab value="keys">{t('application.tabs.keys')}</Tabs.Tab>
          <Tabs.Tab value="settings">{t('application.tabs.settings')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="usage">
          <UsageTab id={id} isArchived={application.archived_at !== null} />
        </Tabs.Panel>
        <Tabs.Panel value="keys">
          <KeysTab application={application} />
        </Tabs.Panel>
        <Tabs.Panel value="settings" keepMounted={settingsOpened.current}>
          <SettingsTab application={application} />
        </Tabs.Panel>
      </Tabs>
    </Frame>
  )
}
