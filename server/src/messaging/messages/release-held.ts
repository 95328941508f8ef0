import { findUser } from '../../applications/user-store.ts'
import type { Tx } from '../../db/database.ts'
import { GatehouseError } from '../../errors.ts'
import { toId } from '../../lib/id.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { releaseAtOnce } from '../../review/release-at-once.ts'
import type { ReviewItem } from '../../review/review.ts'
import { reviewContent } from '../../review/review-store.ts'
import { conversationFor } from '../conversations/conversation-store.ts'
import type { Member } from '../door/member.ts'
import { emit } from '../events/outbox.ts'
import { governReleased } from '../governance/governed-text.ts'
import type { JudgeDeps } from '../governance/judge.ts'
import { uuidOf } from '../ids.ts'
import { insertMessage } from './insert-message.ts'
import type { Message } from './message.ts'
import { lockMessageFor, replaceText, tellOfUpdate } from './message-store.ts'
import { replaceFiles } from './update-message.ts'

export interface ReleaseDeps extends JudgeDeps {
  readonly reviewBox: SecretBox
}

/**
 * A reviewer has decided on a held message, in this transaction: an approved one is stored now, once, if the policies in force
 * still let it; its author is told either way. Answers the item in its new state. Other items are left as they are.
 */
export async function settleHeldMessage(tx: Tx, item: ReviewItem, deps: ReleaseDeps, now: Date): Promise<ReviewItem> {
  if (item.endpoint !== 'message' || item.kind !== 'hold') return item
  const held = await takeHeld(tx, item)
  if (item.state !== 'approved') {
    if (held) await tell(tx, item, held.messageId, 'message.held', item.state)
    return item
  }
  if (!held) throw gone()
  const auditId = await release(tx, item, held, deps, now)
  await tell(tx, item, held.messageId, 'message.released', 'released')
  return releaseAtOnce(tx, item, auditId ?? item.auditId, now)
}

interface Held {
  /** The message that it will be, or whose text it will be. */
  readonly messageId: string
  readonly isUpdate: boolean
  readonly attachments: readonly string[] | null
}

async function takeHeld(tx: Tx, item: ReviewItem): Promise<Held | undefined> {
  const row = await tx
    .deleteFrom('held_message')
    .where('workspace_id', '=', uuidOf('ws', item.workspaceId))
    .where('review_item_id', '=', uuidOf('rev', item.id))
    .returning(['id', 'target_id', 'attachments'])
    .executeTakeFirst()
  if (!row) return undefined
  return {
    messageId: toId('msg', row.target_id ?? row.id),
    isUpdate: row.target_id !== null,
    attachments: row.attachments?.map((id) => toId('att', id)) ?? null,
  }
}

/** Stores what was held; answers the record of the decision that let it pass. */
async function release(tx: Tx, item: ReviewItem, held: Held, deps: ReleaseDeps, now: Date): Promise<string | null> {
  const content = await reviewContent(tx, item.workspaceId, item.id, now, deps.reviewBox)
  const sender = await senderOf(tx, item)
  const place = sender && (await conversationFor(tx, sender, item.sessionId ?? ''))
  if (!content || !sender || !place) throw gone()
  const utterance = {
    workspaceId: item.workspaceId,
    sender: sender.user,
    place,
    messageId: held.messageId,
    change: held.isUpdate ? ('update' as const) : ('create' as const),
    texts: content.messages.map((message) => String(message.content)),
    now,
  }
  const text = await governReleased(utterance, item.id, deps)
  if (!text) {
    const message = 'The policies in force now deny this message: it cannot be approved any more.'
    throw new GatehouseError('CONFLICT', { message, details: { reason: 'policy_denies_now' } })
  }
  if (!held.isUpdate) {
    const { messageId: id, attachments } = held
    const stored = { id, sender, conversationId: place.id, text, attachments: attachments ?? [], now }
    return (await insertMessage(tx, stored)).message.auditId
  }
  const message = await lockMessageFor(tx, sender, held.messageId)
  if (!message) throw gone()
  await replaceText(tx, message, text)
  if (held.attachments) await replaceFiles(tx, sender, message.id, held.attachments, now)
  const updated: Message = await tellOfUpdate(tx, message, now)
  await text.settle(tx)
  return updated.auditId
}

/** The author as policies see it, with what is known of it now. */
async function senderOf(tx: Tx, { workspaceId, userId }: ReviewItem): Promise<Member | undefined> {
  const user = await findUser(tx, workspaceId, userId)
  if (!user) return undefined
  const { id, role, department, attributes } = user
  return { workspaceId, user: { id, role, department, attributes, verified: true } }
}

const gone = () =>
  new GatehouseError('CONFLICT', {
    message: 'The message cannot be stored any more: its conversation is gone, or its author is not in it.',
    details: { reason: 'message_gone' },
  })

const tell = (
  tx: Tx,
  { id, workspaceId, userId, sessionId }: ReviewItem,
  messageId: string,
  type: 'message.held' | 'message.released',
  state: string,
): Promise<void> =>
  emit(tx, {
    workspaceId,
    type,
    audience: [userId],
    payload: { id: messageId, conversation_id: sessionId ?? '', review_item_id: id, state },
  })
