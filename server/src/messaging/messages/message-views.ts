import type { Db, Tx } from '../../db/database.ts'
import { attachmentView } from '../attachments/attachment.ts'
import { type Contact, contactView } from '../people/contact.ts'
import { contactsByIds } from '../people/contact-store.ts'
import { type Message, messageView } from './message.ts'
import { filesOf } from './message-files.ts'
import { reactionsOf } from './reactions.ts'

/** Messages of one Workspace as its members see them. `base`: `http://host`, for the URLs in them. */
export async function messageViews(db: Db, workspaceId: string, messages: readonly Message[], base: string) {
  const ids = messages.map(({ id }) => id)
  const [contacts, reactions, attachments] = await Promise.all([
    contactsByIds(
      db,
      workspaceId,
      messages.map(({ senderId }) => senderId),
    ),
    reactionsOf(db, ids),
    filesOf(db, ids),
  ])
  return messages.map((message) => {
    const contact = contacts.get(message.senderId) ?? departed(message)
    const files = (attachments.get(message.id) ?? []).map((attachment) => attachmentView(attachment, base))
    return messageView(message, contactView(contact, base), reactions.get(message.id) ?? [], files)
  })
}

/** A message that `tx` has stored: nobody has reacted yet, and most carry nothing, so most of what others need is not asked for. */
export async function newMessageView(tx: Tx, message: Message, hasFiles: boolean, base: string) {
  if (hasFiles) return oneMessageView(tx, message, base)
  const contacts = await contactsByIds(tx, message.workspaceId, [message.senderId])
  return messageView(message, contactView(contacts.get(message.senderId) ?? departed(message), base), [], [])
}

export async function oneMessageView(db: Db, message: Message, base: string) {
  const [view] = await messageViews(db, message.workspaceId, [message], base)
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
