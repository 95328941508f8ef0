import { Alert, Tabs } from '@mantine/core'
import { useRef } from 'react'
import { hasStatus } from '../../api/api-error.ts'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { oneOf, useFilters, usePathParam } from '../../routing/location.ts'
import { Copyable } from '../../ui/copy.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { KeysTab } from './keys-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { UsageTab } from './usage-tab.tsx'

const TABS = ['usage', 'keys', 'settings'] as const
const readTab = ({ tab }: Readonly<Record<string, unknown>>) => ({ tab: oneOf(TABS, tab) ?? 'usage' })

/** One Application: usage, keys and settings. */
export function Page() {
  const id = usePathParam('id')
  const { data: application, error, refetch } = useRead('/admin/v1/applications/{id}', { params: { path: { id } } })
  const canUsePlayground = useScopes().hasScope('playground:use')
  const [{ tab }, setFilters] = useFilters(readTab)
  // The settings stay mounted once opened, so that unsaved changes survive a switch of tabs.
  const settingsOpened = useRef(false)
  settingsOpened.current ||= tab === 'settings'
  if (hasStatus(error, 404)) {
    return (
      <EmptyState title="Application not found" action={<LinkButton to="/applications">All Applications</LinkButton>}>
        It belongs to another Workspace, or the link is incomplete.
      </EmptyState>
    )
  }
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!application) return <PageSkeleton />
  return (
    <Frame
      title={application.name}
      description={<Copyable value={id} label="ID" />}
      parent={{ to: '/applications', label: 'All Applications' }}
      actions={
        canUsePlayground && (
          <LinkButton to="/playground" search={{ application: id }} variant="default">
            Open playground
          </LinkButton>
        )
      }
    >
      {application.warnings.map((warning) => (
        <Alert key={warning} color="yellow" variant="outline" mb="md">
          {warning}
        </Alert>
      ))}
      <Tabs value={tab} onChange={(value) => setFilters({ tab: oneOf(TABS, value) ?? 'usage' })} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="usage">Usage</Tabs.Tab>
          <Tabs.Tab value="keys">Keys</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="usage">
          <UsageTab id={id} />
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
