import { Alert, Button, Group, Progress, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useScopes } from '../../api/session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { ReplayResult } from './replay-result.tsx'
import { type ReplayState, useReplay } from './use-replay.ts'

interface ReplayPanelProps {
  readonly source: string
  readonly ready: boolean
}

const RECORD_COUNTS = ['100', '1000', '10000']

/** Evaluates the draft against the newest audit records. */
export function ReplayPanel({ source, ready }: ReplayPanelProps) {
  const { t } = useTranslation('policies')
  const [last, setLast] = useState('1000')
  const { state, error, start, stop } = useReplay()
  if (!useScopes().hasScope('audit:read')) return <EmptyState title={t('replay.denied')}>{t('replay.deniedHint')}</EmptyState>
  const isRunning = state?.status === 'running'
  const isStale = state?.source !== source || state.last !== Number(last)
  return (
    <Stack>
      <Group align="flex-end">
        <Select
          label={t('replay.records')}
          w={160}
          allowDeselect={false}
          data={RECORD_COUNTS.map((value) => ({ value, label: t('replay.last', { records: Number(value) }) }))}
          value={last}
          onChange={(value) => setLast(value ?? '1000')}
        />
        {isRunning ? (
          <Button variant="default" onClick={stop}>
            {t('replay.stop')}
          </Button>
        ) : (
          <Button disabled={!ready} onClick={() => void start(source, Number(last))}>
            {t('replay.start')}
          </Button>
        )}
      </Group>
      {!ready && <Text size="sm">{t('fixFirst')}</Text>}
      {error !== undefined && <ErrorState title={t('replay.failed')} error={error} />}
      {state && isRunning && <ReplayProgress state={state} />}
      {state && !isRunning && isStale && (
        <Alert color="yellow" variant="light" role="status">
          {t('replay.stale')}
        </Alert>
      )}
      {state?.status === 'stopped' && <Text size="sm">{t('replay.stopped', { count: state.records })}</Text>}
      {state && <ReplayResult replay={state} />}
    </Stack>
  )
}

function ReplayProgress({ state: { records, last } }: { readonly state: ReplayState }) {
  const { t } = useTranslation('policies')
  return (
    <Stack gap={4}>
      <Progress.Root size="lg">
        <Progress.Section value={(100 * records) / last} aria-label={t('replay.progress')} />
      </Progress.Root>
      <Text size="sm" c="dimmed">
        {t('replay.replayed', { records, last })}
      </Text>
    </Stack>
  )
}
