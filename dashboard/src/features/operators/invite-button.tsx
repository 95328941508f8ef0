import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { useScopes, useSessionWorkspace } from '../../api/session.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { hasRole, NO_ROLE, type RoleValues, rolesBody } from './operator-roles.ts'
import { RolesFields } from './roles-fields.tsx'

interface Values extends RoleValues {
  name: string
  email: string
}

/** Creates an invitation link, which the operator sends by other means. */
export function InviteButton({ onLink }: { readonly onLink: (url: string) => void }) {
  const { t } = useTranslation('operators')
  const current = useSessionWorkspace()
  const isInAll = useScopes().hasScopeInAll('operators:write')
  const roles: RoleValues =
    isInAll || !current
      ? { role: 'read_only', workspaceRoles: [] }
      : { role: NO_ROLE, workspaceRoles: [{ workspaceId: current.id, role: 'read_only' }] }
  const form = useForm<Values>({
    initialValues: { name: '', email: '', ...roles },
    validate: { workspaceRoles: (_, values) => (hasRole(values) ? null : t('roles.required')) },
  })
  const dialog = useFormDialog(form)
  const invite = useChange('post', '/admin/v1/operators', {
    refresh: ['/admin/v1/operators'],
    onDone: ({ url }) => {
      dialog.dismiss()
      onLink(url)
    },
  })
  const submit = ({ name, email, ...values }: Values) =>
    invite.mutate({ body: { name, email, ...rolesBody(values) } }, { onError: showFormError(form) })
  return (
    <FormDialog dialog={dialog} title={t('invite.title')} pending={invite.isPending}>
      <SubmitForm onSubmit={form.onSubmit(submit)} submit={t('invite.submit')} pending={invite.isPending}>
        <TextInput label={t('invite.name')} required data-autofocus {...form.getInputProps('name')} />
        <TextInput label={t('invite.email')} type="email" required {...form.getInputProps('email')} />
        <RolesFields form={form} />
      </SubmitForm>
    </FormDialog>
  )
}
