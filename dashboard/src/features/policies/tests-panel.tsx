import { Alert, Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAll, useChange } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import type { StoredTest, TestRun } from './stored-test.ts'
import { TestDialog } from './test-dialog.tsx'
import { TestList } from './test-list.tsx'

interface TestsPanelProps {
  readonly source: string
  /** The document is valid. */
  readonly ready: boolean
  readonly onLine: (line: number) => void
}

/** Stored tests and those of the document: add, edit, and run them in place. */
export function TestsPanel({ source, ready, onLine }: TestsPanelProps) {
  const { t } = useTranslation('policies')
  const canWrite = useScopes().hasScope('policies:write')
  const stored = useAll('/admin/v1/policy-tests', {}, { staleTime: 0 })
  const test = useChange('post', '/admin/v1/policy-sets/test')
  const [edited, setEdited] = useState<StoredTest | 'new'>()
  const run = (ids?: readonly string[]) =>
    test.mutate({ body: { source, stored_tests: true, ...(ids && { test_ids: [...ids] }) } })
  return (
    <Stack>
      <Group gap="xs">
        <Button disabled={!ready} loading={test.isPending} onClick={() => run()}>
          {t('tests.run')}
        </Button>
        {canWrite && (
          <Button variant="default" onClick={() => setEdited('new')}>
            {t('tests.add')}
          </Button>
        )}
        {!ready && <Text size="sm">{t('fixFirst')}</Text>}
      </Group>
      {(test.error || stored.error) && <ErrorState error={test.error ?? stored.error} />}
      {test.data && test.variables?.body?.source !== source && (
        <Alert color="yellow" variant="light" role="status">
          {t('tests.stale')}
        </Alert>
      )}
      {test.data && (
        <Outcome run={test.data} stored={stored.items ?? []} canWrite={canWrite} onImported={() => run()} onRun={run} />
      )}
      {stored.items?.length === 0 && !test.data && (
        <Text size="sm" c="dimmed">
          {t('tests.none')}
        </Text>
      )}
      <TestList
        stored={stored.items ?? []}
        run={test.data}
        onLine={onLine}
        onEdit={canWrite ? setEdited : undefined}
        onRun={ready ? (id) => run([id]) : undefined}
      />
      {edited !== undefined && <TestDialog test={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </Stack>
  )
}

interface OutcomeProps {
  readonly run: TestRun
  readonly stored: readonly StoredTest[]
  readonly canWrite: boolean
  readonly onImported: () => void
  /** Runs stored tests of any file. */
  readonly onRun: (ids: readonly string[]) => void
}

/** Counts of a run, and the files that it did not find. */
function Outcome({ run, stored, canWrite, onImported, onRun }: OutcomeProps) {
  const { t } = useTranslation('policies')
  const { ok, passed, failed, results, missing, errors } = run
  return (
    <Stack gap="sm">
      <Alert role="status" color={ok ? 'green' : failed > 0 ? 'red' : 'yellow'} variant="light">
        {results.length > 0 ? t('tests.counts', { passed, failed }) : <NoneRan stored={stored} onRun={onRun} />}
      </Alert>
      {missing.length > 0 && <MissingFiles missing={missing} canWrite={canWrite} onImported={onImported} />}
      {errors.map(({ file, line, message }) => (
        <Text key={`${file} ${line} ${message}`} size="sm" c="red">
          {t('tests.fileError', { file, line, message })}
        </Text>
      ))}
    </Stack>
  )
}

/** Limit of one run. */
const MAX_CHOSEN = 1_000

/** Why no test ran: the stored ones belong to files that the document does not name. */
function NoneRan({ stored, onRun }: Pick<OutcomeProps, 'stored' | 'onRun'>) {
  const { t } = useTranslation('policies')
  const files = [...new Set(stored.flatMap(({ file }) => file ?? []))]
  if (files.length === 0) return t('tests.noneFound')
  return (
    <Stack gap="xs" align="flex-start">
      {t('tests.otherFiles', { count: stored.length, files: files.join(', ') })}
      <Button size="xs" variant="default" onClick={() => onRun(stored.slice(0, MAX_CHOSEN).map(({ id }) => id))}>
        {t('tests.runAnyway')}
      </Button>
    </Stack>
  )
}

interface MissingFilesProps extends Pick<OutcomeProps, 'canWrite' | 'onImported'> {
  readonly missing: readonly string[]
}

/** Stores the cases of files that the document names. */
function MissingFiles({ missing, canWrite, onImported }: MissingFilesProps) {
  const { t } = useTranslation('policies')
  const store = useChange('post', '/admin/v1/policy-tests/import', {
    refresh: ['/admin/v1/policy-tests'],
    onDone: ({ cases }) => {
      notifySuccess(t('tests.imported', { count: cases }))
      onImported()
    },
  })
  const add = async (files: readonly File[]) => {
    for (const file of files) {
      await store.mutateAsync({ body: { file: nameFor(file, missing), source: await file.text() } })
    }
  }
  return (
    <Group gap="xs">
      <Text size="sm">{t('tests.missing', { files: missing.join(', ') })}</Text>
      {canWrite && (
        <FileButton multiple accept=".yaml,.yml" onChange={(files) => void add(files).catch(notifyError)}>
          {(props) => (
            <Button {...props} size="xs" variant="default" loading={store.isPending}>
              {t('tests.import')}
            </Button>
          )}
        </FileButton>
      )}
    </Group>
  )
}

/** Path of a file in the document. Browsers only provide the file name. */
const nameFor = ({ name }: File, missing: readonly string[]): string =>
  missing.find((one) => one === name || one.endsWith(`/${name}`)) ?? name
