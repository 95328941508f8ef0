import { Avatar, type AvatarProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type Contact, type Conversation, useContact, useGroup } from './member-queries.ts'

export const nameOf = ({ display_name, username }: Pick<Contact, 'display_name' | 'username'>): string => display_name ?? username

/** Avatars of this server are loaded by path, because the server can have several host names. */
const pathOf = (url: string): string => {
  const pathname = URL.parse(url, location.origin)?.pathname
  return pathname?.startsWith('/v1/') ? pathname : url
}

interface ConversationHeader {
  readonly name: string
  readonly avatar: string | null
  /** "Assistant" or the size of the group. */
  readonly kind: string | null
}

/** Name, avatar and kind of the other side of a conversation. */
export function useConversationHeader(
  conversation: Pick<Conversation, 'contact_id' | 'group_id'> | undefined,
): ConversationHeader {
  const { t } = useTranslation('conversations')
  const contact = useContact(conversation?.contact_id ?? null)
  const group = useGroup(conversation?.group_id ?? null)
  if (group) return { name: group.name, avatar: group.avatar_url, kind: t('groupOf', { count: group.contacts.length }) }
  if (!contact) return { name: conversation?.contact_id ?? t('group'), avatar: null, kind: null }
  return { name: nameOf(contact), avatar: contact.avatar_url, kind: contact.is_assistant ? t('assistant') : null }
}

/** Hidden from screen readers, because the name is shown next to it. */
export const UserAvatar = ({ name, avatar, ...rest }: Pick<ConversationHeader, 'name' | 'avatar'> & AvatarProps) => (
  <Avatar name={name} src={avatar && pathOf(avatar)} alt="" color="initials" aria-hidden {...rest} />
)
