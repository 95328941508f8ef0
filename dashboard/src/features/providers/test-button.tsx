import { Alert, Button, type ButtonProps, Checkbox, Group, Modal, ScrollArea, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import type { DiscoverModelsResponse } from '../../api/schema.d.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import type { Provider } from './provider.ts'

type DiscoveredModels = DiscoverModelsResponse['data']

interface TestButtonProps extends Pick<ButtonProps, 'variant' | 'size'> {
  readonly provider: Provider
}

/** Tests address, path and key. The models of a provider with a list can then be added. */
export function TestButton({ provider: { id, kind }, ...button }: TestButtonProps) {
  const { t } = useTranslation('providers')
  const [opened, { open, close }] = useDisclosure()
  const test = useChange('post', '/admin/v1/providers/{id}/discover')
  // A stub has no upstream service.
  if (kind === 'stub') return null
  const start = () => {
    open()
    test.mutate({ params: { path: { id } } })
  }
  return (
    <>
      <Button variant="default" size="sm" {...button} aria-label={t('test.title', { id })} onClick={start}>
        {t('test.label')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('test.title', { id })} size="lg">
        {test.isPending && <RowsSkeleton rows={3} />}
        {test.error && <ErrorState title={t('test.failed')} error={test.error} onRetry={start} />}
        {test.data?.has_list === false && <Connected />}
        {test.data?.has_list && <Outcome providerId={id} models={test.data.data} onDone={close} />}
      </Modal>
    </>
  )
}

function Connected() {
  const { t } = useTranslation('providers')
  return (
    <Alert color="green" variant="light">
      {t('test.noList')}
    </Alert>
  )
}

interface OutcomeProps {
  readonly providerId: string
  readonly models: DiscoveredModels
  readonly onDone: () => void
}

function Outcome({ providerId, models, onDone }: OutcomeProps) {
  const { t } = useTranslation('providers')
  const [selected, setSelected] = useState<string[]>([])
  const add = useChange('post', '/admin/v1/providers/{id}/models', {
    refresh: ['/admin/v1/providers', '/admin/v1/models'],
    onDone: ({ data }) => {
      notifySuccess(t('test.added', { count: data.length }))
      onDone()
    },
  })
  const newModels = models.filter(({ known }) => !known)
  const submit = () =>
    add.mutate(
      { params: { path: { id: providerId } }, body: { models: selected.map((id) => ({ id })) } },
      { onError: notifyError },
    )
  return (
    <Stack>
      <Alert color="green" variant="light">
        {t('test.models', { count: models.length })}
      </Alert>
      {newModels.length === 0 && <Text size="sm">{t('test.allAdded')}</Text>}
      {newModels.length > 0 && (
        <>
          <ScrollArea.Autosize mah={320} type="auto">
            <Checkbox.Group label={t('test.choose')} value={selected} onChange={setSelected}>
              <Stack gap="xs" mt="xs">
                {newModels.map(({ id }) => (
                  <Checkbox key={id} value={id} label={id} />
                ))}
              </Stack>
            </Checkbox.Group>
          </ScrollArea.Autosize>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setSelected(newModels.map(({ id }) => id))}>
              {t('test.selectAll')}
            </Button>
            <Button disabled={selected.length === 0} loading={add.isPending} onClick={submit}>
              {t('test.add')}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  )
}
