import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { TryFields } from './try-fields.tsx'
import { bodyOf, NO_TEXT, type TryValues } from './try-request.ts'
import { TryResult } from './try-result.tsx'
import { readMap } from './yaml-map.ts'

interface TryPanelProps {
  readonly source: string
  /** The document is valid. */
  readonly ready: boolean
  /** Shows a rule in the editor. */
  readonly onRule: (id: string) => void
}

/** Decides on a text with the rules of a draft, as the editor shows it. Nothing is stored. */
export function TryPanel({ source, ready, onRule }: TryPanelProps) {
  const { t } = useTranslation('policies')
  const simulate = useChange('post', '/admin/v1/policy-sets/simulate')
  const form = useForm<TryValues>({
    initialValues: NO_TEXT,
    validate: {
      text: (text) => (text === '' ? t('try.textMissing') : null),
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
    </Stack>
  )
}
