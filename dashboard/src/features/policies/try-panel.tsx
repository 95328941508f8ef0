import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { SaveTriedButton } from './save-tried-button.tsx'
import { TryFields } from './try-fields.tsx'
import { bodyOf, NO_TEXT, type TryValues } from './try-request.ts'
import { TryResult } from './try-result.tsx'
import type { DraftState } from './use-draft.ts'
import { readMap } from './yaml-map.ts'

interface TryPanelProps {
  readonly draft: DraftState
  /** The document is valid. */
  readonly ready: boolean
  /** Shows a rule in the editor. */
  readonly onRule: (id: string) => void
}

/** Decides on a text with the rules of a draft, as the editor shows it. Nothing is stored. */
export function TryPanel({ draft: { source, canWrite, replace }, ready, onRule }: TryPanelProps) {
  const { t } = useTranslation('policies')
  const simulate = useChange('post', '/admin/v1/policy-sets/simulate')
  const form = useForm<TryValues>({
    initialValues: NO_TEXT,
    validate: {
      text: (text, { point, calls }) => (text === '' && (point !== 'output' || calls === '') ? t('try.textMissing') : null),
      calls: (text) => (Object.values(readMap(text) ?? { text }).every(isArguments) ? null : t('try.callsInvalid')),
      attributes: (text) => (readMap(text) === undefined ? t('tests.yamlInvalid') : null),
    },
  })
  const body = bodyOf(source, form.values)
  const tried = simulate.variables?.body
  const isStale = simulate.data && JSON.stringify(tried) !== JSON.stringify(body)
  return (
    <Stack>
      <form onSubmit={form.onSubmit((values) => simulate.mutate({ body: bodyOf(source, values) }))} noValidate>
        <Stack gap="sm">
          <TryFields form={form} />
          <Group gap="xs">
            <Button type="submit" disabled={!ready} loading={simulate.isPending}>
              {t('try.action')}
            </Button>
            {!ready && <Text size="sm">{t('fixFirst')}</Text>}
          </Group>
        </Stack>
      </form>
      {simulate.error && <ErrorState title={t('try.failed')} error={simulate.error} />}
      {isStale && (
        <Alert color="yellow" variant="light" role="status">
          {t('try.stale')}
        </Alert>
      )}
      {simulate.data && tried && <TryResult result={simulate.data} body={tried} onRule={onRule} />}
      {simulate.data && !isStale && canWrite && simulate.data.failed.length === 0 && (
        <Group>
          <SaveTriedButton source={source} values={form.values} result={simulate.data} onSource={replace} />
        </Group>
      )}
    </Stack>
  )
}

const isArguments = (value: unknown) => value === null || (typeof value === 'object' && !Array.isArray(value))
