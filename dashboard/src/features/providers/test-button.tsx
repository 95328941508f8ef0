import { Alert, Button, Checkbox, Group, Modal, ScrollArea, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { ResponseOf } from '../../api/operations.ts'
import { useChange } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import type { Provider } from './provider.ts'

type DiscoveredModels = ResponseOf<'post', '/admin/v1/providers/{id}/discover'>['data']

/** Tests address, path and key. The models of a provider with a list can then be added. */
export function TestButton({ provider: { id, kind } }: { readonly provider: Provider }) {
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
      <Button variant="default" size="xs" aria-label={`Test ${id}`} onClick={start}>
        Test
      </Button>
      <Modal opened={opened} onClose={close} title={`Test ${id}`} size="lg">
        {test.isPending && <RowsSkeleton rows={3} />}
        {test.error && <ErrorState error={test.error} onRetry={start} />}
        {test.data?.has_list === false && <Connected />}
        {test.data?.has_list && <Outcome providerId={id} models={test.data.data} onDone={close} />}
      </Modal>
    </>
  )
}

function Connected() {
  return (
    <Alert color="green" variant="light">
      Connection successful. The provider has no list of models. Add models by name.
    </Alert>
  )
}

interface OutcomeProps {
  readonly providerId: string
  readonly models: DiscoveredModels
  readonly onDone: () => void
}

function Outcome({ providerId, models, onDone }: OutcomeProps) {
  const [selected, setSelected] = useState<string[]>([])
  const add = useChange('post', '/admin/v1/providers/{id}/models', {
    refresh: ['/admin/v1/providers', '/admin/v1/models'],
    onDone: ({ data }) => {
      notifySuccess(data.length === 1 ? '1 model added.' : `${data.length} models added.`)
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
        Connection successful. The provider has {models.length === 1 ? '1 model' : `${models.length} models`}.
      </Alert>
      {newModels.length === 0 && <Text size="sm">All of them are already added.</Text>}
      {newModels.length > 0 && (
        <>
          <ScrollArea.Autosize mah={320} type="auto">
            <Checkbox.Group label="Models to add" value={selected} onChange={setSelected}>
              <Stack gap="xs" mt="xs">
                {newModels.map(({ id }) => (
                  <Checkbox key={id} value={id} label={id} />
                ))}
              </Stack>
            </Checkbox.Group>
          </ScrollArea.Autosize>
          <Group justify="flex-end">
            <Button disabled={selected.length === 0} loading={add.isPending} onClick={submit}>
              Add selected models
            </Button>
          </Group>
        </>
      )}
    </Stack>
  )
}
