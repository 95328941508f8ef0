import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { notifySuccess } from '../../ui/notify.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import type { Operator } from './operator.ts'
import { changedRolesBody, valuesOf } from './operator-roles.ts'
import { RolesFields } from './roles-fields.tsx'

/** Changes the roles of an operator. The server ends the operator's sessions. */
export function EditButton({ operator }: { readonly operator: Operator }) {
  const { t } = useTranslation('operators')
  const { id, name } = operator
  const form = useForm({ initialValues: valuesOf(operator) })
  const dialog = useFormDialog(form)
  useFormSync(form, valuesOf(operator))
  const update = useChange('patch', '/admin/v1/operators/{id}', {
    refresh: ['/admin/v1/operators', '/admin/v1/session'],
    onDone: () => {
      dialog.saved()
      notifySuccess(t('edit.saved', { name }))
    },
  })
  const submit = (values: ReturnType<typeof valuesOf>) => {
    const body = changedRolesBody(form.getInitialValues(), values)
    if (Object.keys(body).length === 0) return dialog.saved()
    update.mutate({ params: { path: { id } }, body }, { onError: showFormError(form) })
  }
  return (
    <FormDialog
      dialog={dialog}
      title={t('edit.title', { name })}
      label={t('edit.label')}
      aria-label={t('edit.labelFor', { name })}
      variant="default"
      size="xs"
      pending={update.isPending}
    >
      <SubmitForm onSubmit={form.onSubmit(submit)} submit={t('edit.submit')} pending={update.isPending}>
        <RolesFields form={form} />
        <Text size="sm" c="dimmed">
          {t('edit.endsSessions')}
        </Text>
      </SubmitForm>
    </FormDialog>
  )
}
