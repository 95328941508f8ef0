import { Alert, JsonInput, Select, TagsInput, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { CLASSIFICATIONS } from '../../ui/classification.tsx'
import { type FormProps, SubmitForm } from '../../ui/submit-form.tsx'
import { projectsOf, type User } from './user.ts'

interface Values {
  id: string
  username: string
  role: string
  department: string
  projects: string[]
  clearance: string | null
  /** Other attributes as JSON. */
  attributes: string
}

export const useUserForm = (user?: User): UseFormReturnType<Values> =>
  useForm<Values>({
    initialValues: valuesOf(user),
    validate: {
      username: (name) => (name.trim() === '' ? 'Enter a username' : null),
      attributes: (text) => (objectIn(text) ? null : 'Enter a JSON object'),
    },
  })

export function valuesOf(user: User | undefined): Values {
  const { projects: _, clearance, ...others } = user?.attributes ?? {}
  return {
    id: user?.id ?? '',
    username: user?.username ?? '',
    role: user?.role ?? '',
    department: user?.department ?? '',
    projects: user ? projectsOf(user) : [],
    clearance: typeof clearance === 'string' ? clearance : null,
    attributes: JSON.stringify(others, null, 2),
  }
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Request body of a user. */
export const userBody = ({ username, role, department, projects, clearance, attributes }: Values) => ({
  username: username.trim(),
  role: role.trim(),
  department: department.trim(),
  attributes: {
    ...objectIn(attributes),
    ...(projects.length > 0 && { projects }),
    ...(clearance && { clearance }),
  },
})

interface UserFormProps extends FormProps<Values> {
  /** Shows the input for the id. */
  readonly isNew?: boolean
}

export function UserForm({ form, onSubmit, submit, pending, isNew = false }: UserFormProps) {
  return (
    <SubmitForm onSubmit={form.onSubmit(onSubmit)} submit={submit} pending={pending}>
      {isNew && (
        <TextInput label="ID" description="As in user tokens. Generated if empty" data-autofocus {...form.getInputProps('id')} />
      )}
      <TextInput label="Username" required {...form.getInputProps('username')} />
      <TextInput label="Role" {...form.getInputProps('role')} />
      <TextInput label="Department" {...form.getInputProps('department')} />
      <TagsInput label="Projects" placeholder="Type and press Enter" acceptValueOnBlur {...form.getInputProps('projects')} />
      <Select
        label="Clearance"
        placeholder="Set by the Application"
        clearable
        data={CLASSIFICATIONS}
        {...form.getInputProps('clearance')}
      />
      <JsonInput
        label="Other attributes"
        description="Available to policies"
        autosize
        minRows={2}
        {...form.getInputProps('attributes')}
      />
      <Alert variant="light" p="xs">
        If a request has a user token or asserts the user's attributes, those values apply to the request.
      </Alert>
    </SubmitForm>
  )
}
