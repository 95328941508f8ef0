import type { Db, Tx } from '../../../platform/db/database.ts'
import { inTransaction } from '../../../platform/db/retried-transaction.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import type { SecretBox } from '../../../platform/lib/secret-box.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { findUser } from '../../identity/user-store.ts'
import { releaseHeldMessage } from '../../review/message-review-store.ts'
import type { ReviewItem } from '../../review/review-row.ts'
import { getReview, readReviewContent } from '../../review/review-store.ts'
import type { FileStore } from '../attachments/file-store.ts'
import { findConversation } from '../conversations/conversation-store.ts'
import { emit } from '../events/event.ts'
import { type GovernedText, governReleased } from '../governance/governed-text.ts'
import { FILE } from '../governance/message-records.ts'
import type { TextDecisionDeps } from '../governance/text-decision.ts'
import { type Member, memberOf } from '../people/member.ts'
import { readContents } from './file-contents.ts'
import { insertMessage } from './insert-message.ts'
import { findSentFiles } from './message-files.ts'
import { emitMessageUpdated, lockMessage, replaceText } from './message-store.ts'
import { replaceFiles } from './update-message.ts'

export interface ReleaseDeps extends TextDecisionDeps {
  readonly db: Db
  readonly reviewBox: SecretBox
  readonly files: Pick<FileStore, 'open'>
}

export interface PreparedRelease {
  readonly held: HeldMessage
  readonly sender: Member
  readonly conversationId: string
  /** undefined: the active policies deny it. */
  readonly text: GovernedText | undefined
}

interface HeldMessage {
  /** `msg_…` of the new message, or of the message that an update changes. */
  readonly messageId: string
  readonly isUpdate: boolean
  readonly attachments: readonly string[] | null
}

/** Governs a held message with the active policies, before a decision. Undefined if it cannot be stored any more. */
export async function prepareRelease(
  deps: ReleaseDeps,
  workspaceId: string,
  itemId: string,
  now: Date,
): Promise<PreparedRelease | undefined> {
  const { db, reviewBox } = deps
  const item = await getReview(db, workspaceId, itemId, now)
  if (item?.endpoint !== 'message' || item.kind !== 'hold') return undefined
  const held = await findHeldMessage(db, item)
  const content = held && (await readReviewContent(db, workspaceId, itemId, now, reviewBox))
  const user = await findUser(db, workspaceId, item.userId)
  const sender = user && memberOf(workspaceId, user)
  const conversation = sender && (await findConversation(db, sender, item.sessionId ?? ''))
  const files = held && sender && (await findSentFiles(db, sender, held.attachments ?? [], held.messageId))
  if (!held || !content || !conversation || !files) return undefined
  const submission = {
    workspaceId,
    sender: sender.user,
    place: conversation,
    messageId: held.messageId,
    change: held.isUpdate ? ('update' as const) : ('create' as const),
    texts: content.messages.flatMap((message) => (message.name === FILE ? [] : [String(message.content)])),
    readFiles: () => readContents(deps.files, files),
    now,
  }
  return { held, sender, conversationId: conversation.id, text: await governReleased(submission, itemId, deps) }
}

/** Completes a decision in its transaction. CONFLICT if the message cannot be stored or the active policies deny it. */
export async function settleHeldMessage(
  tx: Tx,
  item: ReviewItem,
  release: PreparedRelease | undefined,
  now: Date,
): Promise<ReviewItem | Refusal> {
  if (item.endpoint !== 'message' || item.kind !== 'hold') return item
  const { numDeletedRows } = await tx
    .deleteFrom('held_message')
    .where(({ and }) => and({ workspace_id: uuidOf('ws', item.workspaceId), review_item_id: uuidOf('rev', item.id) }))
    .executeTakeFirst()
  if (item.state !== 'approved') {
    if (numDeletedRows === 1n) await emitReviewState(tx, item, 'message.held', item.state)
    return item
  }
  if (!release || numDeletedRows === 0n) return messageGone()
  if (!release.text) {
    const message = 'The active policies deny this message. It can only be denied.'
    return new Refusal('CONFLICT', { message, details: { reason: 'policy_denies_now' } })
  }
  await emitReviewState(tx, item, 'message.released', 'released')
  const released = await releaseHeldMessage(tx, item, release.text.auditId ?? item.auditId, now)
  return (await storeReleased(tx, release, release.text, now)) ?? released
}

async function storeReleased(
  tx: Tx,
  { held, sender, conversationId }: PreparedRelease,
  text: GovernedText,
  now: Date,
): Promise<Refusal | undefined> {
  const { messageId: id, attachments } = held
  if (!held.isUpdate) {
    const inserted = await insertMessage(tx, { id, sender, conversationId, text, attachments: attachments ?? [], now })
    return inserted instanceof Refusal ? inserted : undefined
  }
  const message = await lockMessage(tx, sender, id)
  if (!message) return messageGone()
  await replaceText(tx, message, text)
  const refusal = attachments && (await replaceFiles(tx, sender, id, attachments, text.texts.slice(1), now))
  if (refusal) return refusal
  await emitMessageUpdated(tx, message, now)
  await text.settle(tx)
  return undefined
}

async function findHeldMessage(db: Db, item: ReviewItem): Promise<HeldMessage | undefined> {
  const row = await db
    .selectFrom('held_message')
    .select(['id', 'target_id', 'attachments'])
    .where(({ and }) => and({ workspace_id: uuidOf('ws', item.workspaceId), review_item_id: uuidOf('rev', item.id) }))
    .executeTakeFirst()
  if (!row) return undefined
  return {
    messageId: toId('msg', row.target_id ?? row.id),
    isUpdate: row.target_id !== null,
    attachments: row.attachments?.map((id) => toId('att', id)) ?? null,
  }
}

const messageGone = () =>
  new Refusal('CONFLICT', {
    message:
      'The message cannot be stored any more: its conversation was deleted, its sender has left it, or one of its files was sent with another message.',
    details: { reason: 'message_gone' },
  })

const emitReviewState = (
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

/** Removes up to `limit` held messages whose review items have expired. Their senders get an event. Returns their number. */
export function removeExpiredHolds(db: Db, now: Date, limit: number): Promise<number> {
  return inTransaction(db, async (tx) => {
    const expired = tx
      .selectFrom('held_message')
      .innerJoin('review_item', 'review_item.id', 'review_item_id')
      .select('held_message.id')
      .where('review_item.expires_at', '<=', now)
      .limit(limit)
      .forUpdate('held_message')
      .skipLocked()
    const removed = await tx.deleteFrom('held_message').where('id', 'in', expired).returningAll().execute()
    for (const held of removed) {
      await emit(tx, {
        workspaceId: toId('ws', held.workspace_id),
        type: 'message.held',
        audience: [held.sender_id],
        payload: {
          id: toId('msg', held.target_id ?? held.id),
          conversation_id: toId('conv', held.conversation_id),
          review_item_id: toId('rev', held.review_item_id),
          state: 'expired',
        },
      })
    }
    return removed.length
  })
}
