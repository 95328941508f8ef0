import type { Tx } from '../../../platform/db/database.ts'
import { newId } from '../../../platform/lib/id.ts'
import { Refusal, refuseUnknown } from '../../../shared/refusal.ts'
import { ASSISTANTS_TOPIC } from '../assistants/enqueue-turn.ts'
import { findConversation } from '../conversations/conversation-store.ts'
import type { HeldText, OpenedHold } from '../governance/governed-text.ts'
import { type GovernedText, type GovernTextDeps, governText } from '../governance/governed-text.ts'
import type { MessagingDeps } from '../messaging-deps.ts'
import type { Member } from '../people/member.ts'
import { readContents } from './file-contents.ts'
import { type InsertedMessage, insertMessage, type NewMessage } from './insert-message.ts'
import { findSentFiles, refuseFiles } from './message-files.ts'

export interface Draft extends Pick<NewMessage, 'conversationId' | 'attachments' | 'replyTo' | 'auditId'> {
  readonly text: string
}

export interface PreparedMessage extends Draft {
  readonly id: string
  readonly governed: GovernedText | HeldText
}

/** Governs a message. Returns NOT_FOUND if the member is not in the conversation, a 400 for files of others, or POLICY_DENIED. */
export async function prepareMessage(
  deps: GovernTextDeps & Pick<MessagingDeps, 'db' | 'files'>,
  member: Member,
  draft: Draft,
  now: Date,
): Promise<PreparedMessage | Refusal> {
  const conversation = await findConversation(deps.db, member, draft.conversationId)
  if (!conversation) return refuseUnknown('conversation')
  const id = newId('msg')
  const files = await findSentFiles(deps.db, member, draft.attachments)
  if (!files) return refuseFiles()
  const submission = {
    workspaceId: member.workspaceId,
    sender: member.user,
    place: conversation,
    messageId: id,
    change: 'create' as const,
    texts: [draft.text, ...files.map(({ filename }) => filename)],
    readFiles: () => readContents(deps.files, files),
    requestAuditId: draft.auditId,
    now,
  }
  const governed = await governText(submission, deps)
  return governed instanceof Refusal ? governed : { ...draft, id, governed }
}

/** Stores a prepared message, or opens its hold. Last in its transaction, which a refusal rolls back. */
export async function storeMessage(
  tx: Tx,
  member: Member,
  prepared: PreparedMessage,
  now: Date,
): Promise<InsertedMessage | OpenedHold | Refusal> {
  const { governed, id, conversationId, attachments, replyTo, auditId } = prepared
  if (governed.kind === 'held') return governed.open(tx, attachments)
  return insertMessage(tx, { id, sender: member, conversationId, text: governed, attachments, replyTo, auditId, now })
}

/** Call it after the commit. If the signal is lost, the assistant's worker finds the turn a moment later. */
export function notifyAssistants(
  { signal, log }: Pick<MessagingDeps, 'signal' | 'log'>,
  { message, turnEnqueued }: InsertedMessage,
): void {
  if (!turnEnqueued) return
  signal
    .publish(ASSISTANTS_TOPIC, message.id)
    .catch((err) => log.error({ err }, 'assistants could not be notified of a message; a worker takes the turn later'))
}
