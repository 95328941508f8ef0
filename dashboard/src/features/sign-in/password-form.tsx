import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { signIn } from '../../api/auth.ts'
import { describeError } from '../../ui/describe-error.ts'

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
    <form onSubmit={form.onSubmit((values) => attempt.mutate(values))}>
      <Stack>
        {attempt.error && (
          <Alert color="red" variant="light" role="alert">
            {describeError(attempt.error).message}
          </Alert>
        )}
        <TextInput label="Email" type="email" autoComplete="username" required autoFocus {...form.getInputProps('email')} />
        <PasswordInput label="Password" autoComplete="current-password" required {...form.getInputProps('password')} />
        <Button type="submit" loading={attempt.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}
