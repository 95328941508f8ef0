import { Alert, Button, JsonInput, Select, Stack, TagsInput, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import type { ItemOf } from '../../api/operations.ts'
import { CLASSIFICATIONS } from '../../ui/classification.tsx'

export type User = ItemOf<'/admin/v1/users'>

interface Values {
  id: string
  username: string
  role: string
  department: string
  projects: string[]
  clearance: string | null
  /** Whatever else is known of them, as JSON. */
  attributes: string
}

export const useUserForm = (user?: User): UseFormReturnType<Values> =>
  useForm<Values>({
    initialValues: valuesOf(user),
    validate: {
      username: (name) => (name.trim() === '' ? 'It needs a name' : null),
      attributes: (text) => (objectIn(text) ? null : 'must be a JSON object'),
    },
  })

export function valuesOf(user: User | undefined): Values {
  const { projects, clearance, ...others } = user?.attributes ?? {}
  return {
    id: user?.id ?? '',
    username: user?.username ?? '',
    role: user?.role ?? '',
    department: user?.department ?? '',
    projects: Array.isArray(projects) ? projects.filter((name) => typeof name === 'string') : [],
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

/** As the API takes it. */
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

interface UserFormProps {
  readonly form: UseFormReturnType<Values>
  readonly onSubmit: (values: Values) => void
  readonly submit: string
  readonly pending: boolean
  /** Whether the id is still to be chosen. */
  readonly isNew?: boolean
}

export function UserForm({ form, onSubmit, submit, pending, isNew = false }: UserFormProps) {
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <Stack>
        {isNew && (
          <TextInput
            label="Id"
            description="As user tokens name them; without one, one is made"
            data-autofocus
            {...form.getInputProps('id')}
          />
        )}
        <TextInput label="Username" required {...form.getInputProps('username')} />
        <TextInput label="Role" {...form.getInputProps('role')} />
        <TextInput label="Department" {...form.getInputProps('department')} />
        <TagsInput label="Projects" placeholder="Type and press Enter" acceptValueOnBlur {...form.getInputProps('projects')} />
        <Select
          label="Clearance"
          placeholder="as the Application says"
          clearable
          data={CLASSIFICATIONS}
          {...form.getInputProps('clearance')}
        />
        <JsonInput
          label="Other attributes"
          description="Policies see them"
          autosize
          minRows={2}
          {...form.getInputProps('attributes')}
        />
        <Alert variant="light" p="xs">
          Where a request brings a user token or says who asks, what that says counts for the request.
        </Alert>
        <Button type="submit" loading={pending}>
          {submit}
        </Button>
      </Stack>
    </form>
  )
}
