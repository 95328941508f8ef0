import type { Tx } from '../../../platform/db/database.ts'
import { newId } from '../../../platform/lib/id.ts'
import { requireFound } from '../../../shared/refusals.ts'
import { ASSISTANTS_TOPIC } from '../assistants/enqueue-turn.ts'
import { findConversation } from '../conversations/conversation-store.ts'
import { type GovernedText, type GovernTextDeps, governText } from '../governance/governed-text.ts'
import { HeldText } from '../governance/held-text.ts'
import type { MessagingDeps } from '../messaging-deps.ts'
import type { Member } from '../people/member.ts'
import { readContents } from './file-contents.ts'
import { type InsertedMessage, insertMessage } from './insert-message.ts'
import { requireSentFiles } from './message-files.ts'

/** A message that a member or an assistant wants to send. */
export interface Draft {
  readonly conversationId: string
  readonly text: string
  /** `att_…` */
  readonly attachments: readonly string[]
  /** `msg_…` of the message that an assistant's message answers. */
  readonly replyTo?: string | undefined
  /** `aud_…` of the request that an assistant's message comes from. */
  readonly auditId?: string | undefined
}

/** A governed message with its id. */
export interface PreparedMessage extends Draft {
  readonly id: string
  readonly governed: GovernedText | HeldText
}

/** Governs a message. Throws NOT_FOUND if the member is not in the conversation, and POLICY_DENIED. */
export async function prepareMessage(
  deps: GovernTextDeps & Pick<MessagingDeps, 'db' | 'files'>,
  member: Member,
  draft: Draft,
  now: Date,
): Promise<PreparedMessage> {
  const conversation = requireFound(await findConversation(deps.db, member, draft.conversationId), 'conversation')
  const id = newId('msg')
  const files = await requireSentFiles(deps.db, member, draft.attachments)
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
  return { ...draft, id, governed: await governText(submission, deps) }
}

export type SendResult =
  | ({ readonly kind: 'stored' } & InsertedMessage)
  | { readonly kind: 'held'; readonly reviewItemId: string; readonly auditId: string }

/** Stores a prepared message, or opens its hold. Last in its transaction. */
export async function storeMessage(tx: Tx, member: Member, prepared: PreparedMessage, now: Date): Promise<SendResult> {
  const { governed, id, conversationId, attachments, replyTo, auditId } = prepared
  if (governed instanceof HeldText) return { kind: 'held', ...(await governed.open(tx, attachments)) }
  const message = { id, sender: member, conversationId, text: governed, attachments, replyTo, auditId, now }
  return { kind: 'stored', ...(await insertMessage(tx, message)) }
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
