import { Alert, Autocomplete, Button, Checkbox, Group, Modal, ScrollArea, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { refreshPaths, useChange } from '../../api/queries.ts'
import type { DiscoverModelsResponse } from '../../api/schema.d.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { RowsSkeleton } from '../../ui/skeletons.tsx'

const REFRESH = ['/admin/v1/providers', '/admin/v1/models']

/** Tests address, path and key of a provider with a request to a model, in a dialog. */
export function useConnectionTest(id: string) {
  const [opened, { open, close }] = useDisclosure()
  const queries = useQueryClient()
  // A test shows whether the key is accepted, so the health of the provider changes with either outcome.
  const test = useChange('post', '/admin/v1/providers/{id}/discover')
  const run = (model?: string) =>
    test.mutate(
      { params: { path: { id }, ...(model && { query: { model } }) } },
      { onSettled: () => void refreshPaths(queries, REFRESH) },
    )
  const start = () => {
    open()
    run()
  }
  return { id, opened, close, start, run, pending: test.isPending, error: test.error, result: test.data }
}

export type RunningTest = ReturnType<typeof useConnectionTest>

export function ConnectionTestDialog({ test }: { readonly test: RunningTest }) {
  const { t } = useTranslation('providers')
  const { id, opened, close, pending, error, result, run } = test
  const done = pending || error ? undefined : result
  return (
    <Modal opened={opened} onClose={close} title={t('test.title', { id })} size="lg">
      <Stack>
        <Text size="sm" c="dimmed">
          {t('test.cost')}
        </Text>
        {pending && <RowsSkeleton rows={3} />}
        {!pending && error && <ErrorState title={t('test.failed')} error={error} onRetry={() => run()} />}
        {done && <Outcome result={done} />}
        {!pending && <ModelToAsk key={result?.call?.model} test={test} />}
        {done && done.data.length > 0 && <ModelsToAdd providerId={id} models={done.data} onDone={close} />}
      </Stack>
    </Modal>
  )
}

/** The results of the test, and the parts that it could not check. */
function Outcome({ result: { has_list, data, left_out, call } }: { readonly result: DiscoverModelsResponse }) {
  const { t } = useTranslation('providers')
  const isEmpty = has_list && data.length === 0
  const notes = [
    call?.outcome === 'answered' && t('test.answered', { model: call.model, ms: call.ms }),
    call?.outcome === 'refused' && t('test.refused', { model: call.model }),
    isEmpty && t(call ? 'test.emptyList' : 'test.notAsked'),
    left_out.embedding > 0 && t('test.embeddingLeftOut', { count: left_out.embedding }),
    left_out.other > 0 && t('test.otherLeftOut', { count: left_out.other }),
  ].filter((note) => typeof note === 'string')
  const success = has_list ? t('test.models', { count: data.length }) : t('test.noList')
  return (
    <Alert role="status" color={call ? 'green' : 'yellow'} variant="light" {...(call && { title: success })}>
      {notes.map((note) => (
        <Text key={note} size="sm">
          {note}
        </Text>
      ))}
    </Alert>
  )
}

/** Any model can be asked, also one that the provider does not list. */
function ModelToAsk({ test: { result, run } }: { readonly test: RunningTest }) {
  const { t } = useTranslation('providers')
  const [model, setModel] = useState(result?.call?.model ?? '')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        run(model.trim())
      }}
    >
      <Group align="flex-end">
        <Autocomplete
          flex={1}
          label={t('test.model')}
          data={result?.data.map(({ id }) => id) ?? []}
          limit={50}
          value={model}
          onChange={setModel}
        />
        <Button type="submit" variant="default">
          {t('test.again')}
        </Button>
      </Group>
    </form>
  )
}

interface ModelsToAddProps {
  readonly providerId: string
  readonly models: DiscoverModelsResponse['data']
  readonly onDone: () => void
}

function ModelsToAdd({ providerId, models, onDone }: ModelsToAddProps) {
  const { t } = useTranslation('providers')
  const newModels = models.filter(({ known }) => !known)
  const [selected, setSelected] = useState(newModels.length === 1 ? newModels.map(({ id }) => id) : [])
  const add = useChange('post', '/admin/v1/providers/{id}/models', {
    refresh: REFRESH,
    onDone: ({ data }) => {
      notifySuccess(t('test.added', { count: data.length }))
      onDone()
    },
  })
  const submit = () =>
    add.mutate(
      { params: { path: { id: providerId } }, body: { models: selected.map((id) => ({ id })) } },
      { onError: notifyError },
    )
  if (newModels.length === 0) return <Text size="sm">{t('test.allAdded')}</Text>
  return (
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
  )
}
