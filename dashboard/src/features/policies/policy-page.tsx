import { Group, Tabs } from '@mantine/core'
import { hasStatus } from '../../api/api-error.ts'
import type { ResponseOf } from '../../api/operations.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { oneOf, textOf, useFilters, usePathParam } from '../../routing/location.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { DocumentView } from './document-view.tsx'
import { ActiveBadge } from './policies-page.tsx'
import { RulesTable } from './rules-table.tsx'
import { useBaseVersion } from './use-base-version.ts'
import { VersionDiff } from './version-diff.tsx'

const TABS = ['rules', 'document', 'diff'] as const

const readFilters = (search: Readonly<Record<string, unknown>>) => ({
  tab: oneOf(TABS, search.tab) ?? 'rules',
  rule: textOf(search.rule),
  to: textOf(search.to),
})

/** One published version: rules, document and comparison with other versions. */
export function Page() {
  const id = usePathParam('id')
  const { data, error, refetch } = useRead('/admin/v1/policy-sets/{id}', { params: { path: { id } } })
  if (hasStatus(error, 404)) return <EmptyState title="Version not found">It belongs to another Workspace.</EmptyState>
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <PageSkeleton />
  const { name, version, active, created_at, published_by, sha256 } = data
  return (
    <Frame title={`${name} v${version}`} actions={<VersionActions policySet={data} />}>
      <DescriptionList
        items={[
          ['Status', active ? <ActiveBadge key="status" /> : 'Superseded'],
          ['Published', <Time key="time" at={created_at} />],
          ['Published by', published_by],
          [
            'SHA-256',
            <Group key="sha" gap={4} wrap="nowrap">
              <code>{sha256.slice(0, 16)}…</code>
              <CopyButton value={sha256} label="SHA-256" />
            </Group>,
          ],
        ]}
      />
      <VersionTabs policySet={data} />
    </Frame>
  )
}

interface PolicySetProps {
  readonly policySet: ResponseOf<'get', '/admin/v1/policy-sets/{id}'>
}

function VersionActions({ policySet: { id, version, active } }: PolicySetProps) {
  const canWrite = useScopes().hasScope('policies:write')
  const base = useBaseVersion()
  const activate = useChange('post', '/admin/v1/policy-sets/{id}/publish', {
    refresh: ['/admin/v1/policy-sets'],
    onDone: (published) => notifySuccess(`${published.name} v${published.version} is active.`),
  })
  const query = base === undefined ? {} : { base_version: base }
  return (
    <>
      <LinkButton to="/policies/draft" search={{ from: id }} variant="default">
        Edit as draft
      </LinkButton>
      {canWrite && !active && (
        <ConfirmButton
          size="sm"
          destructive={false}
          disabled={!base}
          question={`Activate v${version}?`}
          consequence="This version applies to all new requests. You can activate the current version again."
          onConfirm={() => activate.mutateAsync({ params: { path: { id }, query } })}
        >
          Activate
        </ConfirmButton>
      )}
    </>
  )
}

function VersionTabs({ policySet: { id, source, rules } }: PolicySetProps) {
  const [{ tab, rule, to }, setFilters] = useFilters(readFilters)
  return (
    <Tabs value={tab} onChange={(value) => setFilters({ tab: oneOf(TABS, value) ?? 'rules' })} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="rules">Rules ({rules.length})</Tabs.Tab>
        <Tabs.Tab value="document">Document</Tabs.Tab>
        <Tabs.Tab value="diff">Compare</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="rules">
        <RulesTable rules={rules} selected={rule} />
      </Tabs.Panel>
      <Tabs.Panel value="document">
        <DocumentView source={source} />
      </Tabs.Panel>
      <Tabs.Panel value="diff">
        <VersionDiff id={id} source={source} to={to} onChoose={(other) => setFilters({ to: other })} />
      </Tabs.Panel>
    </Tabs>
  )
}
