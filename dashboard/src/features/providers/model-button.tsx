import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useChange } from '../../api/queries.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { MODEL_API_LABELS, type Model } from './provider.ts'

interface ModelButtonProps {
  readonly providerId: string
  /** Undefined: a new model. */
  readonly model?: Model
  /** Whether the API of the model can be chosen. */
  readonly hasApis: boolean
}

/** Mantine's NumberInput has an empty string as its empty value. */
type Price = number | ''

const valuesOf = (model: Model | undefined) => ({
  model: model?.id ?? '',
  upstream_name: model?.upstream_name ?? '',
  api: model?.api ?? 'chat',
  input_price: (model?.input_price ?? '') as Price,
  output_price: (model?.output_price ?? '') as Price,
  cache_read_price: (model?.cache_read_price ?? '') as Price,
  cache_write_price: (model?.cache_write_price ?? '') as Price,
  cache_write_1h_price: (model?.cache_write_1h_price ?? '') as Price,
  reasoning_price: (model?.reasoning_price ?? '') as Price,
  request_price: (model?.request_price ?? '') as Price,
})
type Values = ReturnType<typeof valuesOf>

const priceOf = (price: Price) => (price === '' ? null : price)

const bodyOf = (values: Values) => ({
  upstream_name: values.upstream_name.trim() || null,
  api: values.api,
  input_price: priceOf(values.input_price),
  output_price: priceOf(values.output_price),
  cache_read_price: priceOf(values.cache_read_price),
  cache_write_price: priceOf(values.cache_write_price),
  cache_write_1h_price: priceOf(values.cache_write_1h_price),
  reasoning_price: priceOf(values.reasoning_price),
  request_price: priceOf(values.request_price),
})

const APIS = Object.entries(MODEL_API_LABELS).map(([value, label]) => ({ value, label }))

const REFRESH = ['/admin/v1/providers', '/admin/v1/models'] as const
/** Prevents replacing a model that another operator added meanwhile. */
const ONLY_NEW = { 'if-none-match': '*' }

/** Adds or edits a model. */
export function ModelButton({ providerId, model, hasApis }: ModelButtonProps) {
  const form = useForm({ initialValues: valuesOf(model) })
  const dialog = useFormDialog(form)
  const options = { refresh: REFRESH, onDone: dialog.saved }
  const put = useChange('put', '/admin/v1/providers/{id}/models/{model}', options)
  const patch = useChange('patch', '/admin/v1/providers/{id}/models/{model}', options)
  const pending = put.isPending || patch.isPending
  const title = model ? `Edit ${model.id}` : 'Add model'
  const start = () => {
    form.setInitialValues(valuesOf(model))
    form.reset()
    dialog.open()
  }
  const submit = (values: Values) => {
    const params = { path: { id: providerId, model: values.model.trim() } }
    const handlers = { onError: showFormError(form) }
    if (model) patch.mutate({ params, body: changedFields(bodyOf(values), bodyOf(form.getInitialValues())) }, handlers)
    else put.mutate({ params, body: bodyOf(values), headers: ONLY_NEW }, handlers)
  }
  return (
    <FormDialog
      dialog={dialog}
      title={title}
      label={model ? 'Edit' : title}
      variant="default"
      size="xs"
      aria-label={title}
      onOpen={start}
      pending={pending}
    >
      <ModelForm form={form} isNew={model === undefined} hasApis={hasApis} pending={pending} onSubmit={submit} />
    </FormDialog>
  )
}

interface ModelFormProps {
  readonly form: UseFormReturnType<Values>
  readonly isNew: boolean
  readonly hasApis: boolean
  readonly pending: boolean
  readonly onSubmit: (values: Values) => void
}

function ModelForm({ form, isNew, hasApis, pending, onSubmit }: ModelFormProps) {
  return (
    <SubmitForm onSubmit={form.onSubmit(onSubmit)} submit={isNew ? 'Add' : 'Save'} pending={pending}>
      {isNew && (
        <TextInput label="Model" description="Name that requests use" required data-autofocus {...form.getInputProps('model')} />
      )}
      <TextInput
        label="Upstream name"
        description="Name of the model or deployment at the provider"
        placeholder="Same"
        {...form.getInputProps('upstream_name')}
      />
      {hasApis && (
        <Select
          label="API"
          description="Responses: for models of OpenAI that use tools while they reason"
          data={APIS}
          allowDeselect={false}
          {...form.getInputProps('api')}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <PriceField label="Input price" {...form.getInputProps('input_price')} />
        <PriceField label="Output price" {...form.getInputProps('output_price')} />
        <PriceField label="Cache read price" placeholder="Input price" {...form.getInputProps('cache_read_price')} />
        <PriceField label="Cache write price" placeholder="Input price" {...form.getInputProps('cache_write_price')} />
        <PriceField
          label="Cache write price for 1 hour"
          placeholder="Cache write price"
          {...form.getInputProps('cache_write_1h_price')}
        />
        <PriceField label="Reasoning price" placeholder="Output price" {...form.getInputProps('reasoning_price')} />
        <PriceField label="Request price" description="Per request" placeholder="0" {...form.getInputProps('request_price')} />
      </SimpleGrid>
    </SubmitForm>
  )
}

function PriceField(props: { readonly label: string; readonly description?: string; readonly placeholder?: string }) {
  return <NumberInput description="USD per 1M tokens" placeholder="From the price list" min={0} {...props} />
}
