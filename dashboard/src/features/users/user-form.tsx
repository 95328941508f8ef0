import { Alert, JsonInput, Select, TagsInput, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import { classificationChoices } from '../../ui/classification.tsx'
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
      username: (name) => (name.trim() === '' ? i18next.t('users:form.usernameMissing') : null),
      attributes: (text) => (objectIn(text) ? null : i18next.t('users:form.attributesInvalid')),
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
  const { t } = useTranslation('users')
  return (
    <SubmitForm onSubmit={form.onSubmit(onSubmit)} submit={submit} pending={pending}>
      {isNew && <TextInput label={t('form.id')} description={t('form.idHint')} data-autofocus {...form.getInputProps('id')} />}
      <TextInput label={t('form.username')} required {...form.getInputProps('username')} />
      <TextInput label={t('form.role')} {...form.getInputProps('role')} />
      <TextInput label={t('form.department')} {...form.getInputProps('department')} />
      <TagsInput
        label={t('form.projects')}
        placeholder={t('form.projectsHint')}
        acceptValueOnBlur
        {...form.getInputProps('projects')}
      />
      <Select
        label={t('form.clearance')}
        placeholder={t('form.clearanceHint')}
        clearable
        data={classificationChoices()}
        {...form.getInputProps('clearance')}
      />
      <JsonInput
        label={t('form.attributes')}
        description={t('form.attributesHint')}
        autosize
        minRows={2}
        {...form.getInputProps('attributes')}
      />
      <Alert variant="light" p="xs">
        {t('form.precedence')}
      </Alert>
    </SubmitForm>
  )
}
