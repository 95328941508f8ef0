import type { Db, Tx } from '../../db/database.ts'
import { attachmentView } from '../attachments/attachment.ts'
import { type Contact, contactView } from '../people/contact.ts'
import { findContacts } from '../people/contact-store.ts'
import { type Message, messageView } from './message.ts'
import { findFiles } from './message-files.ts'
import { findReactions } from './reaction-store.ts'

/** Messages of one Workspace as its members see them. `base`: `http://host`, for the URLs in them. */
export async function loadMessageViews(db: Db, workspaceId: string, messages: readonly Message[], base: string) {
  const ids = messages.map(({ id }) => id)
  const [contacts, reactions, attachments] = await Promise.all([
    findContacts(
      db,
      workspaceId,
      messages.map(({ senderId }) => senderId),
    ),
    findReactions(db, ids),
    findFiles(db, ids),
  ])
  return messages.map((message) => {
    const contact = contacts.get(message.senderId) ?? departed(message)
    const files = (attachments.get(message.id) ?? []).map((attachment) => attachmentView(attachment, base))
    return messageView(message, contactView(contact, base), reactions.get(message.id) ?? [], files)
  })
}

/** A message that `tx` has stored: nobody has reacted yet, and most carry nothing, so most of what others need is not asked for. */
export async function loadNewMessageView(tx: Tx, message: Message, hasFiles: boolean, base: string) {
  if (hasFiles) return loadMessageView(tx, message, base)
  const contacts = await findContacts(tx, message.workspaceId, [message.senderId])
  return messageView(message, contactView(contacts.get(message.senderId) ?? departed(message), base), [], [])
}

export async function loadMessageView(db: Db, message: Message, base: string) {
  const [view] = await loadMessageViews(db, message.workspaceId, [message], base)
  if (!view) throw new Error('a message without a view')
  return view
}

/** Who is no user any more, but whose messages were left. */
const departed = ({ senderId, createdAt }: Message): Contact => ({
  id: senderId,
  username: senderId,
  displayName: null,
  phoneNumber: '',
  avatarUrl: null,
  applicationId: null,
  lastActiveAt: null,
  createdAt,
})
