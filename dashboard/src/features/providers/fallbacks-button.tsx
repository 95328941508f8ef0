import { Button, Divider, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useAll, useChange } from '../../api/queries.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { notifyError } from '../../ui/notify.ts'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { ONLY_NEW } from './model-values.ts'
import type { Model } from './provider.ts'

const REFRESH = ['/admin/v1/providers', '/admin/v1/models']

/** Shows and changes the order in which the providers of a model get its requests. */
export function FallbacksButton({ model }: { readonly model: string }) {
  const { t } = useTranslation('providers')
  const [opened, { open, close }] = useDisclosure()
  const title = t('fallbacks.of', { model })
  return (
    <>
      <Button size="xs" variant="default" aria-label={title} onClick={open}>
        {t('fallbacks.label')}
      </Button>
      <Modal opened={opened} onClose={close} title={title}>
        {opened && <Fallbacks model={model} />}
      </Modal>
    </>
  )
}

const inOrder = (models: readonly Model[]): readonly Model[] =>
  models.toSorted((a, b) => a.fallback_order - b.fallback_order || (a.provider_id < b.provider_id ? -1 : 1))

function Fallbacks({ model }: { readonly model: string }) {
  const { t } = useTranslation('providers')
  const { items } = useAll('/admin/v1/models')
  if (!items) return <RowsSkeleton rows={3} />
  const entries = inOrder(items.filter(({ id }) => id === model))
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t('fallbacks.hint')}
      </Text>
      <Order entries={entries} />
      <Divider />
      <AddFallback model={model} entries={entries} />
    </Stack>
  )
}

interface EntriesProps {
  /** The model at each of its providers, in their order. */
  readonly entries: readonly Model[]
}

function Order({ entries }: EntriesProps) {
  const { t } = useTranslation('providers')
  const patch = useChange('patch', '/admin/v1/providers/{id}/models/{model}', { refresh: REFRESH })
  const remove = useChange('delete', '/admin/v1/providers/{id}/models/{model}', { refresh: REFRESH })
  const swap = async (index: number) => {
    const order = entries.with(index - 1, entries[index] as Model).with(index, entries[index - 1] as Model)
    for (const [fallback_order, entry] of order.entries()) {
      const params = { path: { id: entry.provider_id, model: entry.id } }
      if (entry.fallback_order !== fallback_order) await patch.mutateAsync({ params, body: { fallback_order } })
    }
  }
  const numbers = [...new Set(entries.map(({ fallback_order }) => fallback_order))]
  return (
    <Stack component="ol" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
      {entries.map(({ provider_id: provider, id, upstream_name, fallback_order }, index) => (
        <Group component="li" key={provider} justify="space-between" wrap="nowrap">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {t('fallbacks.entry', { number: numbers.indexOf(fallback_order) + 1, provider, upstream: upstream_name ?? id })}
          </Text>
          {index > 0 && (
            <Group gap="xs" wrap="nowrap">
              <Button
                size="xs"
                variant="default"
                aria-label={t('fallbacks.upOf', { provider })}
                loading={patch.isPending}
                onClick={() => void swap(index).catch(notifyError)}
              >
                {t('fallbacks.up')}
              </Button>
              <ConfirmButton
                aria-label={t('fallbacks.removeOf', { provider })}
                question={t('fallbacks.removeQuestion', { model: id, provider })}
                consequence={t('fallbacks.removeConsequence')}
                onConfirm={() => remove.mutateAsync({ params: { path: { id: provider, model: id } } })}
              >
                {t('fallbacks.remove')}
              </ConfirmButton>
            </Group>
          )}
        </Group>
      ))}
    </Stack>
  )
}

/** Adds the model at a provider that does not have it, after all others. */
function AddFallback({ model, entries }: EntriesProps & { readonly model: string }) {
  const { t } = useTranslation('providers')
  const { items: providers = [] } = useAll('/admin/v1/providers')
  const others = providers.filter(({ id }) => !entries.some(({ provider_id }) => provider_id === id)).map(({ id }) => id)
  const form = useForm({ initialValues: { provider: '', upstream_name: '' } })
  const put = useChange('put', '/admin/v1/providers/{id}/models/{model}', { refresh: REFRESH, onDone: () => form.reset() })
  const fallback_order = (entries.at(-1)?.fallback_order ?? -1) + 1
  const submit = ({ provider, upstream_name }: typeof form.values) =>
    put.mutate(
      {
        params: { path: { id: provider, model } },
        body: { upstream_name: upstream_name.trim() || null, fallback_order },
        headers: ONLY_NEW,
      },
      { onError: showFormError(form) },
    )
  if (others.length === 0) return <Text size="sm">{t('fallbacks.noOther')}</Text>
  return (
    <SubmitForm onSubmit={form.onSubmit(submit)} submit={t('fallbacks.add')} pending={put.isPending}>
      <Select
        label={t('models.provider')}
        data={others}
        required
        {...form.getInputProps('provider')}
        value={form.values.provider || null}
      />
      <TextInput
        label={t('models.upstream')}
        description={t('fallbacks.upstreamHint')}
        placeholder={t('models.same')}
        {...form.getInputProps('upstream_name')}
      />
    </SubmitForm>
  )
}
