import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { ProviderForm } from './provider-form.tsx'
import { createBody, valuesOf } from './provider-values.ts'

/** As on the server. */
const PROVIDER_ID = /^[a-z0-9][a-z0-9_-]{0,62}$/

/** Adds a provider and opens it. */
export function AddProviderButton() {
  const { t } = useTranslation('providers')
  const navigateTo = useNavigateTo()
  const form = useForm({
    initialValues: valuesOf(),
    validate: { id: (id) => (PROVIDER_ID.test(id.trim()) ? null : t('form.idInvalid')) },
  })
  const dialog = useFormDialog(form)
  const create = useChange('post', '/admin/v1/providers', {
    refresh: ['/admin/v1/providers'],
    onDone: ({ id }) => navigateTo(`/providers/${id}`),
  })
  return (
    <FormDialog dialog={dialog} title={t('add.title')} fragment="#create" wide pending={create.isPending}>
      <ProviderForm
        form={form}
        pending={create.isPending}
        onSubmit={(values) => create.mutate({ body: createBody(values) }, { onError: showFormError(form) })}
      />
    </FormDialog>
  )
}
