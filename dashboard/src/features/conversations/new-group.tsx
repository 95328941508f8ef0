import { MultiSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { showFormError } from '../../ui/form-errors.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { nameOf } from './avatars.tsx'
import { useMember } from './member-context.ts'
import { memberKey, useContacts } from './member-queries.ts'

export function useGroupForm() {
  const { t } = useTranslation('conversations')
  return useForm({
    initialValues: { name: '', contacts: [] as string[] },
    validate: { contacts: (selected) => (selected.length === 0 ? t('newGroup.noMember') : null) },
  })
}

interface NewGroupProps {
  readonly form: ReturnType<typeof useGroupForm>
  readonly onCreated: (groupId: string) => void
}

/** Form that creates a group owned by the user. */
export function NewGroup({ form, onCreated }: NewGroupProps) {
  const { t } = useTranslation('conversations')
  const { client, userId } = useMember()
  const queries = useQueryClient()
  const contacts = useContacts().items ?? []
  const create = async (body: { name: string; contacts: string[] }) => {
    const { data } = await client.POST('/v1/groups', { body })
    await queries.invalidateQueries({ queryKey: memberKey(userId, 'groups') })
    form.reset()
    if (data) onCreated(data.id)
  }
  return (
    <SubmitForm
      onSubmit={form.onSubmit((body) => create(body).catch(showFormError(form)))}
      submit={t('newGroup.create')}
      pending={form.submitting}
    >
      <TextInput label={t('newGroup.name')} required data-autofocus {...form.getInputProps('name')} />
      <MultiSelect
        label={t('newGroup.members')}
        description={t('newGroup.mention')}
        required
        searchable
        data={contacts.map((contact) => ({ value: contact.id, label: nameOf(contact) }))}
        {...form.getInputProps('contacts')}
      />
    </SubmitForm>
  )
}
