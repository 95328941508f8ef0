import { Button, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { describeError } from '../../ui/describe-error.ts'

/** Asks for the password before a change of the sign-in. */
export function ConfirmPasswordForm({ onConfirm }: { readonly onConfirm: (password: string) => Promise<unknown> }) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '' } })
  const confirm = useMutation({
    mutationFn: ({ password }: { password: string }) => onConfirm(password),
    onError: (error) => form.setFieldError('password', describeError(error).message),
  })
  return (
    <form onSubmit={form.onSubmit((values) => confirm.mutate(values))}>
      <Stack>
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          data-autofocus
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={confirm.isPending}>
          Continue
        </Button>
      </Stack>
    </form>
  )
}
