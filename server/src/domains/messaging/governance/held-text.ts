import type { Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { newId, newUuid } from '../../../platform/lib/id.ts'
import type { SecretBox } from '../../../platform/lib/secret-box.ts'
import { notFound } from '../../../shared/refusals.ts'
import { appendInTransaction } from '../../audit/chain/append-in-transaction.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import { openHold } from '../../review/review-store.ts'
import { emit } from '../events/outbox.ts'
import { draftMessageRecord } from './message-audit-record.ts'
import { newMessageReview } from './message-review.ts'
import type { TextDecision } from './text-decision.ts'
import type { TextSubmission } from './text-submission.ts'

/** A text that requires approval. It cannot be stored as a message, only opened as a hold. */
export class HeldText {
  readonly #decision: TextDecision
  readonly #keys: WorkspaceKeys
  readonly #box: SecretBox

  constructor(decision: TextDecision, keys: WorkspaceKeys, box: SecretBox) {
    this.#decision = decision
    this.#keys = keys
    this.#box = box
  }

  /**
   * Opens the hold and writes its audit record. Returns the existing hold if an identical text is held already. Last in its
   * transaction. `attachments`: `att_…`, added at the approval; null: an update that keeps those of the message.
   */
  async open(tx: Tx, attachments: readonly string[] | null): Promise<{ reviewItemId: string; auditId: string }> {
    const { submission } = this.#decision
    const { workspaceId, sender, place, messageId, change, now } = submission
    const target = change === 'update' ? messageId : null
    await lockConversation(tx, submission)
    const auditId = newId('aud')
    const review = newMessageReview(this.#decision, auditId, this.#keys, { target, attachments })
    const { item, created } = await openHold(tx, { workspaceId, applicationId: null }, review, this.#box)
    if (created) {
      await tx
        .insertInto('held_message')
        .values({
          id: target === null ? uuidOf('msg', messageId) : newUuid(),
          workspace_id: uuidOf('ws', workspaceId),
          conversation_id: uuidOf('conv', place.id),
          target_id: target && uuidOf('msg', target),
          sender_id: sender.id,
          attachments: attachments?.map((id) => uuidOf('att', id)) ?? null,
          review_item_id: uuidOf('rev', item.id),
          created_at: now,
        })
        .execute()
      await emit(tx, {
        workspaceId,
        type: 'message.held',
        audience: [sender.id],
        payload: { id: messageId, conversation_id: place.id, review_item_id: item.id, state: 'pending' },
      })
    }
    const outcome = { auditId, error: 'POLICY_REVIEW_PENDING', review: { id: item.id, state: 'pending' } } as const
    const { hasher } = this.#keys
    await appendInTransaction(tx, workspaceId, [draftMessageRecord(this.#decision, outcome, hasher)], hasher)
    return { reviewItemId: item.id, auditId }
  }
}

/** Prevents that the conversation is deleted before `tx` ends. Throws NOT_FOUND if it was deleted while the text was governed. */
async function lockConversation(tx: Tx, { workspaceId, place }: TextSubmission): Promise<void> {
  const row = await tx
    .selectFrom('conversation')
    .select('id')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuidOf('conv', place.id))
    .forKeyShare()
    .executeTakeFirst()
  if (!row) throw notFound('conversation')
}
