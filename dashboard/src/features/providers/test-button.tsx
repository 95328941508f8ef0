import { Alert, Button, Checkbox, Group, Modal, ScrollArea, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { AnswerOf } from '../../api/operations.ts'
import { useChange } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import type { Provider } from './provider.ts'

type Found = AnswerOf<'post', '/admin/v1/providers/{id}/discover'>['data']

/** Asks the provider for its models: whether it answers and takes the key; what it has can be added at once. */
export function TestButton({ provider: { id, kind } }: { readonly provider: Provider }) {
  const [opened, { open, close }] = useDisclosure()
  const test = useChange('post', '/admin/v1/providers/{id}/discover')
  // A stub has no list to be asked for: it answers by itself.
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
      <Modal opened={opened} onClose={close} title={`Test of ${id}`} size="lg">
        {test.isPending && <RowsSkeleton rows={3} />}
        {test.error && <ErrorState error={test.error} onRetry={start} />}
        {test.data && <Outcome providerId={id} found={test.data.data} onDone={close} />}
      </Modal>
    </>
  )
}

interface OutcomeProps {
  readonly providerId: string
  readonly found: Found
  readonly onDone: () => void
}

function Outcome({ providerId, found, onDone }: OutcomeProps) {
  const [chosen, choose] = useState<string[]>([])
  const add = useChange('post', '/admin/v1/providers/{id}/models', {
    refresh: ['/admin/v1/providers', '/admin/v1/models'],
    onDone: ({ data }) => {
      notifyDone(data.length === 1 ? 'One model is added.' : `${data.length} models are added.`)
      onDone()
    },
  })
  const unknown = found.filter(({ known }) => !known)
  const submit = () =>
    add.mutate({ params: { path: { id: providerId } }, body: { models: chosen.map((id) => ({ id })) } }, { onError: notifyError })
  return (
    <Stack>
      <Alert color="green" variant="light">
        It answers, and has {found.length === 1 ? 'one model' : `${found.length} models`}.
      </Alert>
      {unknown.length === 0 && <Text size="sm">All of them can be used already.</Text>}
      {unknown.length > 0 && (
        <>
          <ScrollArea.Autosize mah={320} type="auto">
            <Checkbox.Group label="Not yet to be used" value={chosen} onChange={choose}>
              <Stack gap="xs" mt="xs">
                {unknown.map(({ id }) => (
                  <Checkbox key={id} value={id} label={id} />
                ))}
              </Stack>
            </Checkbox.Group>
          </ScrollArea.Autosize>
          <Group justify="flex-end">
            <Button disabled={chosen.length === 0} loading={add.isPending} onClick={submit}>
              Add what is chosen
            </Button>
          </Group>
        </>
      )}
    </Stack>
  )
}
