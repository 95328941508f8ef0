import { PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { signIn } from '../../api/auth.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'

interface PasswordFormProps {
  readonly onDone: () => void
  readonly onTwoFactor: () => void
}

export function PasswordForm({ onDone, onTwoFactor }: PasswordFormProps) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '', password: '' } })
  const attempt = useMutation({
    mutationFn: signIn,
    onSuccess: ({ twoFactorRedirect }) => (twoFactorRedirect ? onTwoFactor() : onDone()),
  })
  return (
    <SubmitForm
      onSubmit={form.onSubmit((values) => attempt.mutate(values))}
      submit="Sign in"
      pending={attempt.isPending}
      error={attempt.error}
    >
      <TextInput label="Email" type="email" autoComplete="username" required autoFocus {...form.getInputProps('email')} />
      <PasswordInput label="Password" autoComplete="current-password" required {...form.getInputProps('password')} />
    </SubmitForm>
  )
}
