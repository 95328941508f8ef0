import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { notifySuccess } from '../../ui/notify.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import type { ApiKey } from './api-key.ts'
import { KeyFields } from './key-fields.tsx'
import { bodyOf, KEY_VALIDATORS, type KeyValues, valuesOf } from './key-values.ts'
import { TeamField } from './team-field.tsx'

/** Changes what a key may use. Its secret and its expiry stay. */
export function EditKeyButton({ apiKey }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation('applications')
  const { id, name } = apiKey
  const form = useForm<KeyValues>({ initialValues: valuesOf(apiKey), validate: KEY_VALIDATORS })
  useFormSync(form, valuesOf(apiKey))
  const dialog = useFormDialog(form)
  const update = useChange('patch', '/admin/v1/keys/{id}', {
    refresh: ['/admin/v1/applications/{id}/keys', '/admin/v1/teams/{id}/keys'],
    onDone: (key) => {
      dialog.saved()
      notifySuccess(t('keys.edit.done', { name: key.name }))
    },
  })
  const submit = (values: KeyValues) =>
    update.mutate({ params: { path: { id } }, body: bodyOf(values) }, { onError: showFormError(form) })
  return (
    <FormDialog
      dialog={dialog}
      title={t('keys.edit.title', { name })}
      label={t('keys.edit.action')}
      aria-label={t('keys.edit.label', { name })}
      variant="default"
      size="xs"
      wide
      pending={update.isPending}
    >
      <SubmitForm onSubmit={form.onSubmit(submit)} submit={t('keys.edit.submit')} pending={update.isPending}>
        <TextInput label={t('keys.create.name')} required data-autofocus {...form.getInputProps('name')} />
        <TeamField form={form} />
        <KeyFields form={form} />
      </SubmitForm>
    </FormDialog>
  )
}
