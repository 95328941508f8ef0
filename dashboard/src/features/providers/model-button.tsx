import { Select, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { bodyOf, type ModelValues, ONLY_NEW, valuesOf } from './model-values.ts'
import { PriceFields } from './price-fields.tsx'
import { MODEL_APIS, type Model } from './provider.ts'

interface ModelButtonProps {
  readonly providerId: string
  /** Undefined: a new model. */
  readonly model?: Model
  /** Whether the API of the model can be chosen. */
  readonly hasApis: boolean
}

const REFRESH = ['/admin/v1/providers', '/admin/v1/models'] as const

/** Adds or edits a model. */
export function ModelButton({ providerId, model, hasApis }: ModelButtonProps) {
  const { t } = useTranslation('providers')
  const form = useForm({ initialValues: valuesOf(model) })
  const dialog = useFormDialog(form)
  const options = { refresh: REFRESH, onDone: dialog.saved }
  const put = useChange('put', '/admin/v1/providers/{id}/models/{model}', options)
  const patch = useChange('patch', '/admin/v1/providers/{id}/models/{model}', options)
  const pending = put.isPending || patch.isPending
  const title = model ? t('models.editOf', { model: model.id }) : t('models.add')
  const start = () => {
    form.setInitialValues(valuesOf(model))
    form.reset()
    dialog.open()
  }
  const submit = (values: ModelValues) => {
    const params = { path: { id: providerId, model: values.model.trim() } }
    const handlers = { onError: showFormError(form) }
    if (model) patch.mutate({ params, body: changedFields(bodyOf(values), bodyOf(form.getInitialValues())) }, handlers)
    else put.mutate({ params, body: bodyOf(values), headers: ONLY_NEW }, handlers)
  }
  return (
    <FormDialog
      dialog={dialog}
      title={title}
      label={model ? t('models.edit') : title}
      variant="default"
      size="xs"
      aria-label={title}
      onOpen={start}
      pending={pending}
    >
      <ModelForm form={form} model={model} hasApis={hasApis} pending={pending} onSubmit={submit} />
    </FormDialog>
  )
}

interface ModelFormProps {
  readonly form: UseFormReturnType<ModelValues>
  readonly model: Model | undefined
  readonly hasApis: boolean
  readonly pending: boolean
  readonly onSubmit: (values: ModelValues) => void
}

function ModelForm({ form, model, hasApis, pending, onSubmit }: ModelFormProps) {
  const { t } = useTranslation('providers')
  return (
    <SubmitForm onSubmit={form.onSubmit(onSubmit)} submit={model ? t('models.save') : t('models.addSubmit')} pending={pending}>
      {!model && (
        <TextInput
          label={t('models.model')}
          description={t('models.modelHint')}
          required
          data-autofocus
          {...form.getInputProps('model')}
        />
      )}
      <TextInput
        label={t('models.upstream')}
        description={t('models.upstreamHint')}
        placeholder={t('models.same')}
        {...form.getInputProps('upstream_name')}
      />
      {hasApis && (
        <Select
          label={t('models.api')}
          description={t('models.apiHint')}
          data={MODEL_APIS.map((value) => ({ value, label: t(`apis.${value}`) }))}
          allowDeselect={false}
          {...form.getInputProps('api')}
        />
      )}
      <PriceFields form={form} model={model} />
    </SubmitForm>
  )
}
