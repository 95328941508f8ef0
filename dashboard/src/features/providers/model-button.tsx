import { Button, Group, NumberInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { changedOnly } from '../../ui/changed-only.ts'
import { showInForm } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import type { Model } from './provider.ts'

interface ModelButtonProps {
  readonly providerId: string
  /** Undefined: a new one. */
  readonly model?: Model
}

/** An input for a number holds an empty text while it is empty. */
type Price = number | ''

const valuesOf = (model: Model | undefined) => ({
  model: model?.id ?? '',
  upstream_name: model?.upstream_name ?? '',
  input_price: (model?.input_price ?? '') as Price,
  output_price: (model?.output_price ?? '') as Price,
})
type Values = ReturnType<typeof valuesOf>

const bodyOf = ({ upstream_name, input_price, output_price }: Values) => ({
  upstream_name: upstream_name.trim() || null,
  input_price: input_price === '' ? null : input_price,
  output_price: output_price === '' ? null : output_price,
})

const REFRESH = ['/admin/v1/providers', '/admin/v1/models'] as const
/** Does not replace a model that another operator has added since the form was opened. */
const ONLY_NEW = { 'if-none-match': '*' }

/** Adds a model, or changes what is known of it. */
export function ModelButton({ providerId, model }: ModelButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  const form = useForm({ initialValues: valuesOf(model) })
  const after = { refresh: REFRESH, onDone: close }
  const put = useChange('put', '/admin/v1/providers/{id}/models/{model}', after)
  const patch = useChange('patch', '/admin/v1/providers/{id}/models/{model}', after)
  const pending = put.isPending || patch.isPending
  const start = () => {
    form.setInitialValues(valuesOf(model))
    form.reset()
    open()
  }
  const submit = (values: Values) => {
    const params = { path: { id: providerId, model: values.model.trim() } }
    const told = { onError: showInForm(form) }
    if (model) patch.mutate({ params, body: changedOnly(bodyOf(values), bodyOf(form.getInitialValues())) }, told)
    else put.mutate({ params, body: bodyOf(values), headers: ONLY_NEW }, told)
  }
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      {model ? (
        <Button variant="default" size="xs" aria-label={`Change ${model.id}`} onClick={start}>
          Change
        </Button>
      ) : (
        <Button variant="default" size="xs" onClick={start}>
          Add a model
        </Button>
      )}
      <FormModal
        opened={opened}
        unsaved={form.isDirty() && !pending}
        onClose={dismiss}
        title={model ? `Change ${model.id}` : 'Add a model'}
      >
        <form onSubmit={form.onSubmit(submit)}>
          <Stack>
            {!model && (
              <TextInput
                label="Model"
                description="The name that requests use"
                required
                data-autofocus
                {...form.getInputProps('model')}
              />
            )}
            <TextInput label="The provider calls it" placeholder="the same" {...form.getInputProps('upstream_name')} />
            <Group grow>
              <NumberInput
                label="Price in"
                description="A million tokens"
                placeholder="not known"
                min={0}
                {...form.getInputProps('input_price')}
              />
              <NumberInput
                label="Price out"
                description="A million tokens"
                placeholder="not known"
                min={0}
                {...form.getInputProps('output_price')}
              />
            </Group>
            <Button type="submit" loading={pending}>
              {model ? 'Save' : 'Add'}
            </Button>
          </Stack>
        </form>
      </FormModal>
    </>
  )
}
