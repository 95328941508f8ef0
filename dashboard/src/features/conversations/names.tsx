import { Avatar, type AvatarProps } from '@mantine/core'
import { type Contact, type Conversation, useContact, useGroup } from './member-queries.ts'

export const nameOf = ({ display_name, username }: Pick<Contact, 'display_name' | 'username'>): string => display_name ?? username

/** A picture that this server draws is asked for by its path: the address it was told with may be another one of the same server. */
const pathOf = (url: string): string => {
  const pathname = URL.parse(url, location.origin)?.pathname
  return pathname?.startsWith('/v1/') ? pathname : url
}

interface Named {
  readonly name: string
  readonly avatar: string | null
  /** In a word: "assistant", "group". */
  readonly kind: string | null
}

/** With whom a conversation is. */
export function usePartner(conversation: Pick<Conversation, 'contact_id' | 'group_id'> | undefined): Named {
  const contact = useContact(conversation?.contact_id ?? null)
  const group = useGroup(conversation?.group_id ?? null)
  if (group) return { name: group.name, avatar: group.avatar_url, kind: `group of ${group.contacts.length}` }
  if (!contact) return { name: conversation?.contact_id ?? 'Group', avatar: null, kind: null }
  return { name: nameOf(contact), avatar: contact.avatar_url, kind: contact.is_assistant ? 'assistant' : null }
}

/** A face, for the eye only: the name stands beside it. */
export const Face = ({ name, avatar, ...rest }: Pick<Named, 'name' | 'avatar'> & AvatarProps) => (
  <Avatar name={name} src={avatar && pathOf(avatar)} alt="" color="initials" aria-hidden {...rest} />
)
