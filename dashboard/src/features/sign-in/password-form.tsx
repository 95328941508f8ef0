import { PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { signIn } from '../../api/auth.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'

interface PasswordFormProps {
  readonly onDone: () => void
  readonly onTwoFactor: () => void
}

export function PasswordForm({ onDone, onTwoFactor }: PasswordFormProps) {
  const { t } = useTranslation('sign-in')
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '', password: '' } })
  const attempt = useMutation({
    mutationFn: signIn,
    onSuccess: ({ twoFactorRedirect }) => (twoFactorRedirect ? onTwoFactor() : onDone()),
  })
  return (
    <SubmitForm
      onSubmit={form.onSubmit((values) => attempt.mutate(values))}
      submit={t('signIn')}
      pending={attempt.isPending}
      error={attempt.error}
    >
      <TextInput label={t('email')} type="email" autoComplete="username" required autoFocus {...form.getInputProps('email')} />
      <PasswordInput label={t('password')} autoComplete="current-password" required {...form.getInputProps('password')} />
    </SubmitForm>
  )
}
