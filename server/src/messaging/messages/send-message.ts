import type { Tx } from '../../db/database.ts'
import { notFound } from '../../http/refusals.ts'
import { newId } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import { ASSISTANTS_TOPIC } from '../assistants/enqueue-turn.ts'
import { findConversation } from '../conversations/conversation-store.ts'
import { type GovernedText, type GovernTextDeps, governText } from '../governance/governed-text.ts'
import { HeldText } from '../governance/held-text.ts'
import type { MessagingDeps } from '../messaging-deps.ts'
import { type InsertedMessage, insertMessage } from './insert-message.ts'
import { findFilenames } from './message-files.ts'

export interface Draft {
  readonly conversationId: string
  readonly text: string
  /** `att_…` */
  readonly attachments: readonly string[]
  /** `msg_…` that an assistant answers with this one. */
  readonly replyTo?: string | undefined
  /** Record of the exchange that an assistant's answer comes from: told where nobody governs messages, else in the answer's own. */
  readonly auditId?: string | undefined
}

/** A message that policies have looked at; what is left is to store it. */
export interface PreparedMessage extends Draft {
  /** The id that it will have. */
  readonly id: string
  readonly governed: GovernedText | HeldText
}

/** Asks the policies about a message. Throws NOT_FOUND where the member is not in the conversation, and POLICY_DENIED. */
export async function prepareMessage(
  deps: GovernTextDeps & Pick<MessagingDeps, 'db'>,
  member: Member,
  draft: Draft,
  now: Date,
): Promise<PreparedMessage> {
  const conversation = await findConversation(deps.db, member, draft.conversationId)
  if (!conversation) throw notFound('conversation')
  const id = newId('msg')
  const names = await findFilenames(deps.db, member, draft.attachments)
  const submission = {
    workspaceId: member.workspaceId,
    sender: member.user,
    place: conversation,
    messageId: id,
    change: 'create' as const,
    texts: [draft.text, ...names],
    requestAuditId: draft.auditId,
    now,
  }
  return { ...draft, id, governed: await governText(submission, deps) }
}

export type Sent =
  | ({ readonly kind: 'stored' } & InsertedMessage)
  | { readonly kind: 'held'; readonly reviewItemId: string; readonly auditId: string }

/** Stores what was prepared, or puts it before the reviewers. Last in its transaction. */
export async function storeMessage(tx: Tx, member: Member, ready: PreparedMessage, now: Date): Promise<Sent> {
  const { governed, id, conversationId, attachments, replyTo, auditId } = ready
  if (governed instanceof HeldText) return { kind: 'held', ...(await governed.open(tx, attachments)) }
  const message = { id, sender: member, conversationId, text: governed, attachments, replyTo, auditId, now }
  return { kind: 'stored', ...(await insertMessage(tx, message)) }
}

/** Once it is committed. Where it does not arrive, the answer comes a moment later. */
export function notifyAssistants(
  { signal, log }: Pick<MessagingDeps, 'signal' | 'log'>,
  { message, turnEnqueued }: InsertedMessage,
): void {
  if (!turnEnqueued) return
  signal.publish(ASSISTANTS_TOPIC, message.id).catch((err) => log.error({ err }, 'assistants could not be told of a message'))
}
