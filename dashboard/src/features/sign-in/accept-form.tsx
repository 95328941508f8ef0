import { PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { acceptInvitation, type Invitation } from '../../api/auth.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { MIN_PASSWORD, validatePassword } from '../../ui/validate-password.ts'
import { redirectAfterSignIn } from './redirect-after-sign-in.ts'

interface AcceptFormProps {
  readonly token: string
  readonly invitation: Invitation
}

/** Asks an invited operator for name and password, and the first owner for the email address too. */
export function AcceptForm({ token, invitation }: AcceptFormProps) {
  const { t } = useTranslation('sign-in')
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: invitation.name ?? '', email: '', password: '', confirmation: '' },
    validate: {
      password: validatePassword,
      confirmation: (value, { password }) => (value === password ? null : t('welcome.mismatch')),
    },
  })
  const accept = useMutation({ mutationFn: acceptInvitation, onSuccess: () => redirectAfterSignIn(undefined) })
  return (
    <SubmitForm
      onSubmit={form.onSubmit(({ name, email, password }) => accept.mutate({ token, name, password, ...(email && { email }) }))}
      submit={t('continue')}
      pending={accept.isPending}
      error={accept.error}
    >
      <TextInput label={t('welcome.name')} autoComplete="name" required {...form.getInputProps('name')} />
      {invitation.email === null && (
        <TextInput label={t('email')} type="email" autoComplete="username" required {...form.getInputProps('email')} />
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
