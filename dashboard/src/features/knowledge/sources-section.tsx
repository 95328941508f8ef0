import { Badge, Box, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { refreshPaths, useList } from '../../api/queries.ts'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { DOCUMENT_REFRESH } from './document.ts'
import { CreateSourceButton, SOURCES_PATH, SourceActions } from './source-buttons.tsx'
import type { Source } from './source-form.tsx'
import { useAclTexts } from './use-acl-texts.ts'

const REFETCH_MS = 5_000

interface SourcesSectionProps {
  readonly collectionId: string
  readonly canEdit: boolean
}

/** Where documents of the collection are copied from, with the last run of each. Nothing for readers if there is no source. */
export function SourcesSection({ collectionId, canEdit }: SourcesSectionProps) {
  const { t } = useTranslation('knowledge')
  const list = useList(SOURCES_PATH, { params: { query: { collection: collectionId } } }, { refetchInterval: REFETCH_MS })
  useRefreshAfterRuns(list.items)
  const columns: Column<Source>[] = [
    { header: t('sources.source'), cell: (source) => <Name source={source} /> },
    { header: t('documents.readers'), cell: (source) => <Readers source={source} />, from: 'md' },
    { header: t('sources.lastRun'), cell: (source) => <LastRun source={source} /> },
    ...(canEdit ? [actionsColumn((source: Source) => <SourceActions source={source} />)] : []),
  ]
  if (!canEdit && !list.items?.length) return null
  return (
    <Section title={t('sources.title')} actions={canEdit && <CreateSourceButton collectionId={collectionId} />}>
      <DataTable
        label={t('sources.title')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Text size="sm" c="dimmed">
            {t('sources.none')}
          </Text>
        }
      />
    </Section>
  )
}

/** Refreshes lists of documents when a run has ended, or documents have got changed readers. */
function useRefreshAfterRuns(sources: readonly Source[] = []): void {
  const queries = useQueryClient()
  const runs = sources.map(({ last_sync: last, relabelling }) => `${last?.at} ${relabelling}`).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the runs are the reason to refresh
  useEffect(() => void refreshPaths(queries, DOCUMENT_REFRESH), [runs, queries])
}

interface SourceProps {
  readonly source: Source
}

function Name({ source: { name, url, folder, enabled, failure, relabelling, syncing_since } }: SourceProps) {
  const { t } = useTranslation('knowledge')
  return (
    <Box>
      <Group gap="xs">
        {name}
        {syncing_since && <Badge color="blue">{t('sources.running')}</Badge>}
        {relabelling && <Badge color="blue">{t('sources.relabelling')}</Badge>}
        {failure && <Badge color="red">{t('states.failed')}</Badge>}
        {!enabled && <Badge color="gray">{t('sources.disabled')}</Badge>}
      </Group>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {folder === '' ? url : `${url} › ${folder}`}
      </Text>
    </Box>
  )
}

function Readers({ source: { acl } }: SourceProps) {
  const { t } = useTranslation('knowledge')
  const { readersOf } = useAclTexts()
  return acl === null ? t('form.sameReaders') : readersOf([acl])
}

function LastRun({ source: { last_sync: last, failure } }: SourceProps) {
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
        <Text size="xs" c="var(--mantine-color-error)" style={{ overflowWrap: 'anywhere' }}>
          {failure.message}
        </Text>
      )}
    </Box>
  )
}
