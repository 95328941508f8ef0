import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { USER_PATHS } from './user.ts'
import { UserForm, userBody, useUserForm } from './user-form.tsx'

export function CreateButton() {
  const { t } = useTranslation('users')
  const form = useUserForm()
  const dialog = useFormDialog(form)
  const navigateTo = useNavigateTo()
  const create = useChange('post', '/admin/v1/users', {
    refresh: USER_PATHS,
    onDone: ({ id }) => navigateTo(`/settings/users/${encodeURIComponent(id)}`),
  })
  return (
    <FormDialog dialog={dialog} title={t('create.title')} fragment="#create" wide pending={create.isPending}>
      <UserForm
        isNew
        form={form}
        submit={t('create.submit')}
        pending={create.isPending}
        onSubmit={({ id, ...values }) =>
          create.mutate(
            { body: { ...userBody({ id, ...values }), ...(id.trim() && { id: id.trim() }) } },
            { onError: showFormError(form) },
          )
        }
      />
    </FormDialog>
  )
}
