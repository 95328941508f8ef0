import { Button, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { describeError } from '../../ui/describe-error.ts'

/** Asks for the password again; a refusal stands below the field. */
export function PasswordQuestion({ onAnswer }: { readonly onAnswer: (password: string) => Promise<unknown> }) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '' } })
  const answer = useMutation({
    mutationFn: ({ password }: { password: string }) => onAnswer(password),
    onError: (error) => form.setFieldError('password', describeError(error).message),
  })
  return (
    <form onSubmit={form.onSubmit((values) => answer.mutate(values))}>
      <Stack>
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          data-autofocus
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={answer.isPending}>
          Continue
        </Button>
      </Stack>
    </form>
  )
}
