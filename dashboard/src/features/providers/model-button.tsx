import { Button, Group, NumberInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
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

/** Adds a model, or changes what is known of it. */
export function ModelButton({ providerId, model }: ModelButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  const form = useForm({ initialValues: valuesOf(model) })
  const put = useChange('put', '/admin/v1/providers/{id}/models/{model}', {
    refresh: ['/admin/v1/providers', '/admin/v1/models'],
    onDone: close,
  })
  const start = () => {
    form.setInitialValues(valuesOf(model))
    form.reset()
    open()
  }
  const submit = ({ model: id, upstream_name, input_price, output_price }: Values) =>
    put.mutate(
      {
        params: { path: { id: providerId, model: id.trim() } },
        body: {
          upstream_name: upstream_name.trim() || null,
          input_price: input_price === '' ? null : input_price,
          output_price: output_price === '' ? null : output_price,
        },
      },
      { onError: showInForm(form) },
    )
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
        unsaved={form.isDirty() && !put.isPending}
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
            <Button type="submit" loading={put.isPending}>
              {model ? 'Save' : 'Add'}
            </Button>
          </Stack>
        </form>
      </FormModal>
    </>
  )
}
