import { Group, Tabs, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import type { PolicySetWithSource } from '../../api/schema.d.ts'
import { useScopes } from '../../api/session.ts'
import { oneOf, textOf, useFilters, usePathParam } from '../../routing/location.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { CreateDraftButton } from './create-draft-button.tsx'
import { DocumentView } from './document-view.tsx'
import { ActiveBadge } from './policies-page.tsx'
import { RollBackButton } from './roll-back-button.tsx'
import { RulesTable } from './rules-table.tsx'
import { usePublisherName } from './use-publisher-name.ts'
import { VersionDiff } from './version-diff.tsx'

const TABS = ['rules', 'document', 'diff'] as const

const readFilters = (search: Readonly<Record<string, unknown>>) => ({
  tab: oneOf(TABS, search.tab) ?? 'rules',
  rule: textOf(search.rule),
  to: textOf(search.to),
})

/** One published version: rules, document and comparison with other versions. */
export function Page() {
  const { t } = useTranslation('policies')
  const id = usePathParam('id')
  const canWrite = useScopes().hasScope('policies:write')
  const publisherOf = usePublisherName()
  const { data, error, refetch } = useRead('/admin/v1/policy-sets/{id}', { params: { path: { id } } })
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <PageSkeleton />
  const { name, version, active, note, created_at, sha256 } = data
  return (
    <Frame
      title={t('version', { name, version })}
      parent={{ to: '/policies', label: t('title') }}
      actions={
        canWrite && (
          <>
            <CreateDraftButton from={data} variant="default" />
            {!active && <RollBackButton policySet={data} />}
          </>
        )
      }
    >
      <DescriptionList
        items={[
          [t('list.status'), active ? <ActiveBadge key="status" /> : t('status.superseded')],
          ...(note === ''
            ? []
            : [
                [
                  t('versionPage.note'),
                  <Text key="note" style={{ whiteSpace: 'pre-wrap' }}>
                    {note}
                  </Text>,
                ] as const,
              ]),
          [t('list.published'), <Time key="time" at={created_at} />],
          [t('list.publisher'), publisherOf(data)],
          [
            t('sha256'),
            <Group key="sha" gap={4} wrap="nowrap">
              <code>{sha256.slice(0, 16)}…</code>
              <CopyButton value={sha256} label={t('sha256')} />
            </Group>,
          ],
        ]}
      />
      <VersionTabs policySet={data} />
    </Frame>
  )
}

interface PolicySetProps {
  readonly policySet: PolicySetWithSource
}

function VersionTabs({ policySet: { id, source, rules } }: PolicySetProps) {
  const { t } = useTranslation('policies')
  const [{ tab, rule, to }, setFilters] = useFilters(readFilters)
  return (
    <Tabs value={tab} onChange={(value) => setFilters({ tab: oneOf(TABS, value) ?? 'rules' })} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="rules">{t('versionPage.rules', { rules: rules.length })}</Tabs.Tab>
        <Tabs.Tab value="document">{t('document')}</Tabs.Tab>
        <Tabs.Tab value="diff">{t('diff.compare')}</Tabs.Tab>
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
