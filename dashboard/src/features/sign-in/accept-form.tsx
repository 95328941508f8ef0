import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { acceptInvitation, type Invitation } from '../../api/auth.ts'
import { describeError } from '../../ui/describe-error.ts'
import { MIN_PASSWORD, passwordProblem } from '../../ui/passwords.ts'
import { enter } from './enter.ts'

interface AcceptFormProps {
  readonly token: string
  readonly invitation: Invitation
}

/** Name and password of somebody new; of the first owner, whom nobody has invited, the address as well. */
export function AcceptForm({ token, invitation }: AcceptFormProps) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: invitation.name ?? '', email: '', password: '', again: '' },
    validate: {
      password: passwordProblem,
      again: (value, { password }) => (value === password ? null : 'The two differ'),
    },
  })
  const accept = useMutation({ mutationFn: acceptInvitation, onSuccess: () => enter(undefined) })
  return (
    <form
      onSubmit={form.onSubmit(({ name, email, password }) => accept.mutate({ token, name, password, ...(email && { email }) }))}
    >
      <Stack>
        {accept.error && (
          <Alert color="red" variant="light" role="alert">
            {describeError(accept.error).message}
          </Alert>
        )}
        <TextInput label="Name" autoComplete="name" required {...form.getInputProps('name')} />
        {invitation.email === null && (
          <TextInput label="E-mail" type="email" autoComplete="username" required {...form.getInputProps('email')} />
        )}
        <PasswordInput
          label="Password"
          description={`At least ${MIN_PASSWORD} characters`}
          autoComplete="new-password"
          required
          {...form.getInputProps('password')}
        />
        <PasswordInput label="Password, once more" autoComplete="new-password" required {...form.getInputProps('again')} />
        <Button type="submit" loading={accept.isPending}>
          Continue
        </Button>
      </Stack>
    </form>
  )
}
