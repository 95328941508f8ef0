import { Button, MultiSelect, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { showInForm } from '../../ui/form-errors.ts'
import { useMember } from './member.ts'
import { memberKey, useContacts } from './member-queries.ts'
import { nameOf } from './names.tsx'

/** What is typed about a new group. The dialog around it asks before it is lost. */
export const useGroupForm = () =>
  useForm({
    initialValues: { name: '', contacts: [] as string[] },
    validate: { contacts: (chosen) => (chosen.length === 0 ? 'Choose at least one' : null) },
  })

interface NewGroupProps {
  readonly form: ReturnType<typeof useGroupForm>
  readonly onMade: (groupId: string) => void
}

/** A group that the user owns. */
export function NewGroup({ form, onMade }: NewGroupProps) {
  const { client, userId } = useMember()
  const queries = useQueryClient()
  const contacts = useContacts().items ?? []
  const make = async (body: { name: string; contacts: string[] }) => {
    const { data } = await client.POST('/v1/groups', { body })
    await queries.invalidateQueries({ queryKey: memberKey(userId, 'groups') })
    form.reset()
    if (data) onMade(data.id)
  }
  return (
    <form onSubmit={form.onSubmit((body) => make(body).catch(showInForm(form)))}>
      <Stack>
        <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
        <MultiSelect
          label="Who belongs to it"
          description="Assistants answer where they are mentioned: @name"
          required
          searchable
          data={contacts.map((contact) => ({ value: contact.id, label: nameOf(contact) }))}
          {...form.getInputProps('contacts')}
        />
        <Button type="submit" loading={form.submitting}>
          Make the group
        </Button>
      </Stack>
    </form>
  )
}
