import { PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { acceptInvitation, type Invitation } from '../../api/auth.ts'
import { sendRequest } from '../../api/operations.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { MIN_PASSWORD, validatePassword } from '../../ui/validate-password.ts'
import { redirectAfterSignIn } from './redirect-after-sign-in.ts'

interface AcceptFormProps {
  readonly token: string
  readonly invitation: Invitation
}

interface Values {
  readonly name: string
  readonly email: string
  readonly workspace: string
  readonly password: string
}

/** Asks an invited operator for name and password, and the first owner for the email address and the first Workspace too. */
export function AcceptForm({ token, invitation }: AcceptFormProps) {
  const { t } = useTranslation('sign-in')
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: invitation.name ?? '', email: '', workspace: '', password: '', confirmation: '' },
    validate: {
      password: validatePassword,
      confirmation: (value, { password }) => (value === password ? null : t('welcome.mismatch')),
    },
  })
  // The link works once: if the Workspace is refused, the next attempt only creates the Workspace.
  const isAccepted = useRef(false)
  const submit = async ({ name, email, workspace, password }: Values) => {
    if (!isAccepted.current) await acceptInvitation({ token, name, password, ...(email && { email }) })
    isAccepted.current = true
    if (invitation.needs_workspace) await sendRequest('post', '/admin/v1/workspaces', { body: { name: workspace.trim() } })
  }
  const accept = useMutation({ mutationFn: submit, onSuccess: () => redirectAfterSignIn(undefined) })
  return (
    <SubmitForm
      onSubmit={form.onSubmit((values) => accept.mutate(values))}
      submit={t('continue')}
      pending={accept.isPending}
      error={accept.error}
    >
      <TextInput label={t('welcome.name')} autoComplete="name" required {...form.getInputProps('name')} />
      {invitation.email === null && (
        <TextInput label={t('email')} type="email" autoComplete="username" required {...form.getInputProps('email')} />
      )}
      {invitation.needs_workspace && (
        <TextInput
          label={t('welcome.workspace')}
          description={t('welcome.workspaceHint')}
          autoComplete="organization"
          required
          {...form.getInputProps('workspace')}
        />
      )}
      <PasswordInput
        label={t('password')}
        description={t('welcome.minimum', { length: MIN_PASSWORD })}
        autoComplete="new-password"
        required
        {...form.getInputProps('password')}
      />
      <PasswordInput
        label={t('welcome.confirmPassword')}
        autoComplete="new-password"
        required
        {...form.getInputProps('confirmation')}
      />
    </SubmitForm>
  )
}
