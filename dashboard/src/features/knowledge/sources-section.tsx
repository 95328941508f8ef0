import { Badge, Box, Button, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ItemOf } from '../../api/operations.ts'
import { useChange, useList } from '../../api/queries.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { notifyError } from '../../ui/notify.ts'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'

type Source = ItemOf<'/admin/v1/knowledge/sources'>

const PATH = '/admin/v1/knowledge/sources'
const REFETCH_MS = 5_000

interface SourcesSectionProps {
  readonly collectionId: string
  readonly canSync: boolean
}

/** Where documents of the collection are copied from, with the last run of each. Nothing if there is no source. */
export function SourcesSection({ collectionId, canSync }: SourcesSectionProps) {
  const { t } = useTranslation('knowledge')
  const list = useList(PATH, { params: { query: { collection: collectionId } } }, { refetchInterval: REFETCH_MS })
  const columns: Column<Source>[] = [
    { header: t('sources.source'), cell: (source) => <Name source={source} /> },
    { header: t('sources.lastRun'), cell: (source) => <LastRun source={source} /> },
    ...(canSync ? [{ header: t('sources.action'), cell: (source: Source) => <SyncButton source={source} /> }] : []),
  ]
  if (!list.items?.length) return null
  return (
    <Section title={t('sources.title')}>
      <DataTable label={t('sources.title')} list={list} columns={columns} keyOf={({ id }) => id} empty={null} />
    </Section>
  )
}

function Name({ source: { name, url, folder, enabled, failure, syncing_since } }: { readonly source: Source }) {
  const { t } = useTranslation('knowledge')
  return (
    <Box>
      <Group gap="xs">
        {name}
        {syncing_since && <Badge color="blue">{t('sources.running')}</Badge>}
        {failure && <Badge color="red">{t('states.failed')}</Badge>}
        {!enabled && <Badge color="gray">{t('sources.disabled')}</Badge>}
      </Group>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {folder === '' ? url : `${url} › ${folder}`}
      </Text>
    </Box>
  )
}

function LastRun({ source: { last_sync: last, failure } }: { readonly source: Source }) {
  const { t } = useTranslation('knowledge')
  if (!last) return t('sources.never')
  const { at, added, changed, relabelled, deleted, failed, unchanged } = last
  return (
    <Box>
      <Time at={at} />
      <Text size="xs" c="dimmed">
        {t('sources.counts', { added, changed: changed + relabelled, deleted, failed, unchanged })}
      </Text>
      {failure && (
        <Text size="xs" c="red">
          {failure.message}
        </Text>
      )}
    </Box>
  )
}

function SyncButton({ source: { id, enabled, syncing_since } }: { readonly source: Source }) {
  const { t } = useTranslation('knowledge')
  const sync = useChange('post', '/admin/v1/knowledge/sources/{id}/sync', { refresh: [PATH] })
  return (
    <Button
      size="xs"
      variant="default"
      disabled={!enabled || syncing_since !== null}
      loading={sync.isPending}
      onClick={() => sync.mutate({ params: { path: { id } }, body: {} }, { onError: notifyError })}
    >
      {t('sources.sync')}
    </Button>
  )
}
