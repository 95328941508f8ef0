import { Badge, Button, NavLink, ScrollArea, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigateTo } from '../../routing/location.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { FormModal } from '../../ui/form-modal.tsx'
import { notifyError } from '../../ui/notify.ts'
import { ShowMore } from '../../ui/show-more.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { AssistantHint } from './assistant-hint.tsx'
import { nameOf, UserAvatar } from './avatars.tsx'
import { useMember } from './member-context.ts'
import { type Contact, type Group, memberKey, useContacts, useGroups } from './member-queries.ts'
import { NewGroup, useGroupForm } from './new-group.tsx'

type Recipient = { readonly contact_id: string } | { readonly group_id: string }

/** Button and dialog that start a conversation, or open the existing one. */
export function NewConversation() {
  const { t } = useTranslation('conversations')
  const [opened, { open, close }] = useDisclosure()
  const { client, userId } = useMember()
  const queries = useQueryClient()
  const navigateTo = useNavigateTo()
  const groupForm = useGroupForm()
  const dismiss = () => {
    close()
    groupForm.reset()
  }
  const start = async (recipient: Recipient) => {
    const { data } = await client.POST('/v1/conversations', { body: { ...recipient, distinct: true } })
    dismiss()
    if (!data) return
    void queries.invalidateQueries({ queryKey: memberKey(userId, 'conversations') })
    navigateTo(`/conversations/${data.id}`, { as: userId })
  }
  return (
    <>
      <Button size="xs" aria-label={t('start.title')} onClick={open}>
        {t('start.button')}
      </Button>
      <FormModal opened={opened} unsaved={groupForm.isDirty()} onClose={dismiss} title={t('start.title')}>
        <Recipients groupForm={groupForm} onChoose={(recipient) => void start(recipient).catch(notifyError)} />
      </FormModal>
    </>
  )
}

interface RecipientsProps {
  readonly groupForm: ReturnType<typeof useGroupForm>
  readonly onChoose: (recipient: Recipient) => void
}

function Recipients({ groupForm, onChoose }: RecipientsProps) {
  const { t } = useTranslation('conversations')
  const [search, setSearch] = useState('')
  const [isNewGroup, setNewGroup] = useState(false)
  const contacts = useContacts()
  const groups = useGroups()
  if (isNewGroup) return <NewGroup form={groupForm} onCreated={(group_id) => onChoose({ group_id })} />
  const error = contacts.error ?? groups.error
  if (error && !contacts.items) return <ErrorState error={error} onRetry={contacts.retry} />
  if (!contacts.items || !groups.items) return <RowsSkeleton />
  const text = search.trim().toLowerCase()
  const entries = [...groups.items.map(groupEntry), ...contacts.items.map(contactEntry)]
  const matches = entries.filter(({ name }) => name.toLowerCase().includes(text))
  return (
    <Stack>
      <TextInput
        aria-label={t('start.search')}
        placeholder={t('start.search')}
        data-autofocus
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <ScrollArea.Autosize mah={360}>
        {matches.map((entry) => (
          <RecipientLink key={entry.id} entry={entry} onChoose={onChoose} />
        ))}
        {matches.length === 0 && <Text c="dimmed">{entries.length > 0 ? t('start.noMatch') : <NoRecipients />}</Text>}
        <ShowMore list={contacts} fullWidth variant="subtle" />
      </ScrollArea.Autosize>
      <Button variant="default" onClick={() => setNewGroup(true)}>
        {t('newGroup.create')}
      </Button>
    </Stack>
  )
}

function NoRecipients() {
  const { t } = useTranslation('conversations')
  return (
    <>
      {t('start.none')} <AssistantHint />
    </>
  )
}

interface RecipientEntry {
  readonly id: string
  readonly name: string
  readonly avatar: string | null
  /** Key in the catalogue. */
  readonly kind: 'group' | 'assistant' | null
  readonly recipient: Recipient
}

const groupEntry = ({ id, name, avatar_url }: Group): RecipientEntry => ({
  id,
  name,
  avatar: avatar_url,
  kind: 'group',
  recipient: { group_id: id },
})

const contactEntry = (contact: Contact): RecipientEntry => ({
  id: contact.id,
  name: nameOf(contact),
  avatar: contact.avatar_url,
  kind: contact.is_assistant ? 'assistant' : null,
  recipient: { contact_id: contact.id },
})

function RecipientLink({
  entry: { name, avatar, kind, recipient },
  onChoose,
}: { readonly entry: RecipientEntry } & Pick<RecipientsProps, 'onChoose'>) {
  const { t } = useTranslation('conversations')
  const badge = kind && (
    <Badge size="xs" variant="default">
      {t(kind)}
    </Badge>
  )
  return (
    <NavLink
      component="button"
      label={name}
      leftSection={<UserAvatar name={name} avatar={avatar} size="sm" />}
      rightSection={badge}
      onClick={() => onChoose(recipient)}
    />
  )
}
