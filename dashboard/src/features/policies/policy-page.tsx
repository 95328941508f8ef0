import { Group, Tabs } from '@mantine/core'
import { hasStatus } from '../../api/api-error.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { oneOf, textOf, useFilters, usePathParam } from '../../routing/location.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { DocumentView } from './document-view.tsx'
import { InForce } from './policies-page.tsx'
import { RulesTable } from './rules-table.tsx'
import { useBaseVersion } from './use-base-version.ts'
import { VersionDiff } from './version-diff.tsx'

const TABS = ['rules', 'document', 'diff'] as const

const readFilters = (search: Readonly<Record<string, unknown>>) => ({
  tab: oneOf(TABS, search.tab) ?? 'rules',
  rule: textOf(search.rule),
  to: textOf(search.to),
})

/** One published version: its rules, its document, and what changes from it to another. */
export function Page() {
  const id = usePathParam('id')
  const { data, error, refetch } = useRead('/admin/v1/policy-sets/{id}', { params: { path: { id } } })
  const [{ tab, rule, to }, setFilters] = useFilters(readFilters)
  const writes = useScopes().may('policies:write')
  const base = useBaseVersion()
  const again = useChange('post', '/admin/v1/policy-sets/{id}/publish', {
    refresh: ['/admin/v1/policy-sets'],
    onDone: ({ name, version }) => notifyDone(`${name} v${version} is in force again`),
  })
  if (hasStatus(error, 404)) return <EmptyState title="There is no such version">It may belong to another Workspace.</EmptyState>
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <PageSkeleton />
  const { name, version, active, created_at, published_by, sha256, source, rules } = data
  return (
    <Frame
      title={`${name} v${version}`}
      actions={
        <>
          <LinkButton to="/policies/draft" search={{ from: id }} variant="default">
            Edit as a draft
          </LinkButton>
          {writes && !active && (
            <ConfirmButton
              size="sm"
              destructive={false}
              disabled={!base}
              question={`Put v${version} in force again?`}
              consequence="Every request from now on is decided by it. The version in force now stays in the list."
              onConfirm={() =>
                again.mutateAsync({ params: { path: { id }, query: base === undefined ? {} : { base_version: base } } })
              }
            >
              Put in force
            </ConfirmButton>
          )}
        </>
      }
    >
      <Facts
        facts={[
          ['State', active ? <InForce key="state" /> : 'superseded'],
          ['Published', <Time key="time" at={created_at} />],
          ['By', published_by],
          [
            'SHA-256',
            <Group key="sha" gap={4} wrap="nowrap">
              <code>{sha256.slice(0, 16)}…</code>
              <CopyButton value={sha256} what="the SHA-256" />
            </Group>,
          ],
        ]}
      />
      <Tabs value={tab} onChange={(value) => setFilters({ tab: oneOf(TABS, value) ?? 'rules' })} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="rules">Rules ({rules.length})</Tabs.Tab>
          <Tabs.Tab value="document">Document</Tabs.Tab>
          <Tabs.Tab value="diff">Compare</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="rules">
          <RulesTable rules={rules} chosen={rule} />
        </Tabs.Panel>
        <Tabs.Panel value="document">
          <DocumentView source={source} />
        </Tabs.Panel>
        <Tabs.Panel value="diff">
          <VersionDiff id={id} source={source} to={to} onChoose={(other) => setFilters({ to: other })} />
        </Tabs.Panel>
      </Tabs>
    </Frame>
  )
}
