import { Badge, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/queries.ts'
import type { PolicyDraft, PolicySet } from '../../api/schema.d.ts'
import { useScopes, useSession } from '../../api/session.ts'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { CreateDraftButton } from './create-draft-button.tsx'
import { RollBackButton } from './roll-back-button.tsx'
import { usePublisherName } from './use-publisher-name.ts'

/** Drafts, and the versions of the Workspace's policy set, newest first. */
export function Page() {
  const { t } = useTranslation('policies')
  const canWrite = useScopes().hasScope('policies:write')
  return (
    <Frame title={t('title')} description={t('description')} actions={canWrite && <CreateDraftButton />}>
      <Drafts />
      <Versions canWrite={canWrite} />
    </Frame>
  )
}

function Drafts() {
  const { t } = useTranslation('policies')
  const self = useSession().data?.operator.id
  const list = useList('/admin/v1/policy-drafts', {}, { staleTime: 0 })
  const nameOf = (id: string, name: string | null) => (id === self ? t('you') : (name ?? id))
  const columns: Column<PolicyDraft>[] = [
    {
      header: t('list.draft'),
      cell: ({ id, title, note }) => (
        <Stack gap={0}>
          <Link to={`/policies/drafts/${id}`}>{title}</Link>
          <Note text={note} />
        </Stack>
      ),
    },
    { header: t('list.author'), cell: ({ author, author_name }) => nameOf(author, author_name), from: 'md' },
    { header: t('list.edited'), cell: ({ updated_at }) => <Time at={updated_at} /> },
    { header: t('list.editor'), cell: ({ edited_by, edited_by_name }) => nameOf(edited_by, edited_by_name), from: 'md' },
  ]
  return (
    <Section title={t('list.drafts')}>
      <DataTable
        label={t('list.drafts')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Text c="dimmed">{t('list.noDrafts')}</Text>}
      />
    </Section>
  )
}

function Versions({ canWrite }: { readonly canWrite: boolean }) {
  const { t } = useTranslation('policies')
  const publisherOf = usePublisherName()
  const list = useList('/admin/v1/policy-sets')
  const columns: Column<PolicySet>[] = [
    {
      header: t('list.version'),
      cell: ({ id, name, version, note }) => (
        <Stack gap={0}>
          <Link to={`/policies/${id}`}>{t('listed', { name, version })}</Link>
          <Note text={note} />
        </Stack>
      ),
    },
    { header: t('list.status'), cell: ({ active, declared }) => active && <ActiveBadge differs={declared === false} /> },
    { header: t('list.published'), cell: ({ created_at }) => <Time at={created_at} /> },
    {
      header: t('list.publisher'),
      cell: publisherOf,
      from: 'md',
    },
    { header: t('sha256'), cell: ({ sha256 }) => <code title={sha256}>{sha256.slice(0, 12)}</code>, from: 'lg' },
    ...(canWrite ? [actionsColumn((set: PolicySet) => !set.active && <RollBackButton policySet={set} size="xs" />)] : []),
  ]
  return (
    <Section title={t('list.versions')}>
      <DataTable
        label={t('list.versions')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={t('list.none')} action={canWrite && <CreateDraftButton />}>
            {t('list.noneHint')}
          </EmptyState>
        }
      />
    </Section>
  )
}

const Note = ({ text }: { readonly text: string }) =>
  text === '' ? null : (
    <Text size="xs" c="dimmed" lineClamp={2}>
      {text}
    </Text>
  )

/** `differs`: the active version is not the one that the configuration file declares. */
export function ActiveBadge({ differs = false }: { readonly differs?: boolean }) {
  const { t } = useTranslation('policies')
  return (
    <>
      <Badge color="green">{t('status.active')}</Badge>
      {differs && (
        <Badge color="yellow" title={t('status.differsHint')}>
          {t('status.differs')}
        </Badge>
      )}
    </>
  )
}
