import type { Db, Tx } from '../../db/database.ts'
import { GatehouseError } from '../../errors.ts'
import { findUser } from '../../identity/user-store.ts'
import { toId } from '../../lib/id.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { releaseHeldMessage } from '../../review/message-review-store.ts'
import type { ReviewItem } from '../../review/review.ts'
import { getReview, readReviewContent } from '../../review/review-store.ts'
import type { Member } from '../api/member.ts'
import { findConversation } from '../conversations/conversation-store.ts'
import { emit } from '../events/outbox.ts'
import { type GovernedText, governReleased } from '../governance/governed-text.ts'
import type { TextDecisionDeps } from '../governance/text-decision.ts'
import { uuidOf } from '../ids.ts'
import { insertMessage } from './insert-message.ts'
import { emitMessageUpdated, lockMessage, replaceText } from './message-store.ts'
import { replaceFiles } from './update-message.ts'

export interface ReleaseDeps extends TextDecisionDeps {
  readonly db: Db
  readonly reviewBox: SecretBox
}

/** What an approval would store. */
export interface PreparedRelease {
  readonly held: Held
  readonly sender: Member
  readonly conversationId: string
  /** undefined: the policies in force now deny it. */
  readonly text: GovernedText | undefined
}

interface Held {
  /** The message that it will be, or whose text it will be. */
  readonly messageId: string
  readonly isUpdate: boolean
  readonly attachments: readonly string[] | null
}

/**
 * Asks the policies in force now about a held message that a reviewer is about to decide on. Undefined for any other item, and
 * for one whose message cannot be stored any more.
 */
export async function prepareRelease(
  deps: ReleaseDeps,
  workspaceId: string,
  itemId: string,
  now: Date,
): Promise<PreparedRelease | undefined> {
  const { db, reviewBox } = deps
  const item = await getReview(db, workspaceId, itemId, now)
  if (item?.endpoint !== 'message' || item.kind !== 'hold') return undefined
  const held = await findHeld(db, item)
  const content = held && (await readReviewContent(db, workspaceId, itemId, now, reviewBox))
  const sender = await senderOf(db, item)
  const place = sender && (await findConversation(db, sender, item.sessionId ?? ''))
  if (!held || !content || !place) return undefined
  const submission = {
    workspaceId,
    sender: sender.user,
    place,
    messageId: held.messageId,
    change: held.isUpdate ? ('update' as const) : ('create' as const),
    texts: content.messages.map((message) => String(message.content)),
    now,
  }
  return { held, sender, conversationId: place.id, text: await governReleased(submission, itemId, deps) }
}

/**
 * A reviewer has decided on a held message, in this transaction: an approved one is stored now, once, if the policies let it;
 * its author is told either way. Answers the item in its new state. Other items are left as they are.
 */
export async function settleHeldMessage(
  tx: Tx,
  item: ReviewItem,
  release: PreparedRelease | undefined,
  now: Date,
): Promise<ReviewItem> {
  if (item.endpoint !== 'message' || item.kind !== 'hold') return item
  const { numDeletedRows } = await tx
    .deleteFrom('held_message')
    .where('workspace_id', '=', uuidOf('ws', item.workspaceId))
    .where('review_item_id', '=', uuidOf('rev', item.id))
    .executeTakeFirst()
  if (item.state !== 'approved') {
    if (numDeletedRows === 1n) await tell(tx, item, 'message.held', item.state)
    return item
  }
  if (!release || numDeletedRows === 0n) throw gone()
  if (!release.text) {
    const message = 'The policies in force now deny this message: it cannot be approved any more.'
    throw new GatehouseError('CONFLICT', { message, details: { reason: 'policy_denies_now' } })
  }
  await tell(tx, item, 'message.released', 'released')
  const released = await releaseHeldMessage(tx, item, release.text.auditId ?? item.auditId, now)
  await store(tx, release, release.text, now)
  return released
}

async function store(tx: Tx, { held, sender, conversationId }: PreparedRelease, text: GovernedText, now: Date): Promise<void> {
  const { messageId: id, attachments } = held
  if (!held.isUpdate) {
    await insertMessage(tx, { id, sender, conversationId, text, attachments: attachments ?? [], now })
    return
  }
  const message = await lockMessage(tx, sender, id)
  if (!message) throw gone()
  await replaceText(tx, message, text)
  if (attachments) await replaceFiles(tx, sender, id, attachments, text.texts.slice(1), now)
  await emitMessageUpdated(tx, message, now)
  await text.settle(tx)
}

async function findHeld(db: Db, item: ReviewItem): Promise<Held | undefined> {
  const row = await db
    .selectFrom('held_message')
    .select(['id', 'target_id', 'attachments'])
    .where('workspace_id', '=', uuidOf('ws', item.workspaceId))
    .where('review_item_id', '=', uuidOf('rev', item.id))
    .executeTakeFirst()
  if (!row) return undefined
  return {
    messageId: toId('msg', row.target_id ?? row.id),
    isUpdate: row.target_id !== null,
    attachments: row.attachments?.map((id) => toId('att', id)) ?? null,
  }
}

/** The author as policies see it, with what is known of it now. */
async function senderOf(db: Db, { workspaceId, userId }: ReviewItem): Promise<Member | undefined> {
  const user = await findUser(db, workspaceId, userId)
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
  { id, workspaceId, userId, sessionId, messageId }: ReviewItem,
  type: 'message.held' | 'message.released',
  state: string,
): Promise<void> =>
  emit(tx, {
    workspaceId,
    type,
    audience: [userId],
    payload: { ...(messageId && { id: messageId }), conversation_id: sessionId ?? '', review_item_id: id, state },
  })
