import type { Db, Tx } from '../../../platform/db/database.ts'
import { attachmentView } from '../attachments/attachment.ts'
import { type Contact, contactView } from '../people/contact.ts'
import { findContacts } from '../people/contact-store.ts'
import { type Message, messageView } from './message.ts'
import { findFiles } from './message-files.ts'
import { findReactions } from './reaction-store.ts'

/** The views of messages of one Workspace. `base`: `http://host`, for URLs. */
export async function loadMessageViews(db: Db, workspaceId: string, messages: readonly Message[], base: string) {
  const ids = messages.map(({ id }) => id)
  const senderIds = messages.map(({ senderId }) => senderId)
  const [contacts, reactions, attachments] = await Promise.all([
    findContacts(db, workspaceId, senderIds),
    findReactions(db, ids),
    findFiles(db, ids),
  ])
  return messages.map((message) => {
    const contact = contacts.get(message.senderId) ?? erasedContact(message)
    const files = (attachments.get(message.id) ?? []).map((attachment) => attachmentView(attachment, base))
    return messageView(message, contactView(contact, base), reactions.get(message.id) ?? [], files)
  })
}

/** The view of a message that `tx` has stored. It has no reactions yet, so fewer queries are needed. */
export async function loadNewMessageView(tx: Tx, message: Message, hasFiles: boolean, base: string) {
  if (hasFiles) return loadMessageView(tx, message, base)
  const contacts = await findContacts(tx, message.workspaceId, [message.senderId])
  return messageView(message, contactView(contacts.get(message.senderId) ?? erasedContact(message), base), [], [])
}

export async function loadMessageView(db: Db, message: Message, base: string) {
  const [view] = await loadMessageViews(db, message.workspaceId, [message], base)
  if (!view) throw new Error('A message has no view')
  return view
}

const erasedContact = ({ senderId, createdAt }: Message): Contact => ({
  id: senderId,
  username: senderId,
  displayName: null,
  phoneNumber: '',
  avatarUrl: null,
  applicationId: null,
  lastActiveAt: null,
  createdAt,
})
