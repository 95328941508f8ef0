import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { acceptInvitation, readInvitation } from '../../api/auth.ts'
import { textOf, useFilters } from '../../routing/location.ts'
import { describeError } from '../../ui/describe-error.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { enter } from './enter.ts'
import { Entrance } from './entrance.tsx'

const MIN_PASSWORD = 12

/** Where a one-time link leads: an invitation, a lost password, or the first start of a server. */
export function Page() {
  const [{ token }] = useFilters((search) => ({ token: textOf(search.token) }))
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => readInvitation(token ?? ''),
    enabled: token !== undefined,
    retry: false,
  })
  if (token === undefined || invitation.error) {
    return (
      <Entrance title="This link is not valid">
        <EmptyState title="It was used, or is too old" action={<LinkButton to="/sign-in">Sign in</LinkButton>}>
          Ask an owner for a new one: Settings, Operators.
        </EmptyState>
      </Entrance>
    )
  }
  if (!invitation.data) return <Entrance title="Welcome to Gatehouse">{null}</Entrance>
  return <AcceptForm token={token} email={invitation.data.email} name={invitation.data.name} />
}

interface AcceptFormProps {
  readonly token: string
  /** Null: nobody is named yet, it is the first link of a new server. */
  readonly email: string | null
  readonly name: string | null
}

function AcceptForm({ token, email, name }: AcceptFormProps) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: name ?? '', email: email ?? '', password: '', again: '' },
    validate: {
      password: (value) => (value.length < MIN_PASSWORD ? `At least ${MIN_PASSWORD} characters` : null),
      again: (value, { password }) => (value === password ? null : 'The two differ'),
    },
  })
  const accept = useMutation({ mutationFn: acceptInvitation, onSuccess: () => enter(undefined) })
  return (
    <Entrance
      title="Welcome to Gatehouse"
      description={email ? `Choose a password for ${email}.` : 'You are its first operator, and own it.'}
    >
      <form
        onSubmit={form.onSubmit((values) =>
          accept.mutate({ token, name: values.name, password: values.password, ...(email === null && { email: values.email }) }),
        )}
      >
        <Stack>
          {accept.error && (
            <Alert color="red" variant="light" role="alert">
              {describeError(accept.error).message}
            </Alert>
          )}
          <TextInput label="Name" autoComplete="name" required {...form.getInputProps('name')} />
          {email === null && (
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
    </Entrance>
  )
}
