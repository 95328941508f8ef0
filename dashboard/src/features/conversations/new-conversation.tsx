import { Badge, Button, NavLink, ScrollArea, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useGo } from '../../routing/location.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { FormModal } from '../../ui/form-modal.tsx'
import { notifyError } from '../../ui/notify.ts'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { useMember } from './member.ts'
import { memberKey, useContacts, useGroups } from './member-queries.ts'
import { Face, nameOf } from './names.tsx'
import { NewGroup, useGroupForm } from './new-group.tsx'

type Partner = { readonly contact_id: string } | { readonly group_id: string }

/** Begins a conversation, or opens the one that there is. */
export function NewConversation() {
  const [opened, { open, close }] = useDisclosure()
  const { client, userId } = useMember()
  const queries = useQueryClient()
  const go = useGo()
  const group = useGroupForm()
  const dismiss = () => {
    close()
    group.reset()
  }
  const begin = async (partner: Partner) => {
    const { data } = await client.POST('/v1/conversations', { body: { ...partner, distinct: true } })
    dismiss()
    if (!data) return
    void queries.invalidateQueries({ queryKey: memberKey(userId, 'conversations') })
    go(`/conversations/${data.id}`, { as: userId })
  }
  return (
    <>
      <Button size="xs" onClick={open}>
        New
      </Button>
      <FormModal opened={opened} unsaved={group.isDirty()} onClose={dismiss} title="With whom?">
        <Partners group={group} onChoose={(partner) => void begin(partner).catch(notifyError)} />
      </FormModal>
    </>
  )
}

interface PartnersProps {
  readonly group: ReturnType<typeof useGroupForm>
  readonly onChoose: (partner: Partner) => void
}

function Partners({ group, onChoose }: PartnersProps) {
  const [sought, setSought] = useState('')
  const [naming, setNaming] = useState(false)
  const contacts = useContacts()
  const groups = useGroups()
  if (naming) return <NewGroup form={group} onMade={(group_id) => onChoose({ group_id })} />
  const matches = (name: string) => name.toLowerCase().includes(sought.trim().toLowerCase())
  const error = contacts.error ?? groups.error
  if (error && !contacts.items) return <ErrorState error={error} onRetry={contacts.retry} />
  if (!contacts.items || !groups.items) return <RowsSkeleton />
  const found = [
    ...groups.items.map(({ id, name, avatar_url }) => ({
      id,
      name,
      avatar: avatar_url,
      kind: 'group',
      partner: { group_id: id },
    })),
    ...contacts.items.map((contact) => ({
      id: contact.id,
      name: nameOf(contact),
      avatar: contact.avatar_url,
      kind: contact.is_assistant ? 'assistant' : null,
      partner: { contact_id: contact.id },
    })),
  ].filter(({ name }) => matches(name))
  return (
    <Stack>
      <TextInput
        aria-label="Find somebody"
        placeholder="Find somebody"
        data-autofocus
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
      />
      <ScrollArea.Autosize mah={360}>
        {found.map(({ id, name, avatar, kind, partner }) => (
          <NavLink
            key={id}
            component="button"
            label={name}
            leftSection={<Face name={name} avatar={avatar} size="sm" />}
            rightSection={
              kind && (
                <Badge size="xs" variant="default" tt="none">
                  {kind}
                </Badge>
              )
            }
            onClick={() => onChoose(partner)}
          />
        ))}
        {found.length === 0 && <Text c="dimmed">Nobody of that name.</Text>}
        {contacts.hasMore && (
          <Button fullWidth variant="subtle" loading={contacts.loadingMore} onClick={contacts.more}>
            Show more
          </Button>
        )}
      </ScrollArea.Autosize>
      <Button variant="default" onClick={() => setNaming(true)}>
        New group
      </Button>
    </Stack>
  )
}
