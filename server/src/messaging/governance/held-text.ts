import { appendInTransaction } from '../../audit/audit-store.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import type { Tx } from '../../db/database.ts'
import { notFound } from '../../http/refusals.ts'
import { newId, newUuid } from '../../lib/id.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { openHold } from '../../review/review-store.ts'
import { emit } from '../events/outbox.ts'
import { uuidOf } from '../ids.ts'
import { draftMessageRecord } from './message-audit-record.ts'
import { newMessageReview } from './message-review.ts'
import type { TextDecision } from './text-decision.ts'
import type { TextSubmission } from './text-submission.ts'

/** Parts of the message that are added once it is approved. */
export interface HeldExtras {
  /** `att_…`; null: an update that leaves them as they are. */
  readonly attachments: readonly string[] | null
}

/** A text that requires approval. It cannot be stored; it can only be shown to reviewers. */
export class HeldText {
  readonly #decided: TextDecision
  readonly #keys: WorkspaceKeys
  readonly #box: SecretBox

  constructor(decided: TextDecision, keys: WorkspaceKeys, box: SecretBox) {
    this.#decided = decided
    this.#keys = keys
    this.#box = box
  }

  /** Opens the hold and records it; returns the existing one of an identical attempt. Last in its transaction. */
  async open(tx: Tx, { attachments }: HeldExtras): Promise<{ reviewItemId: string; auditId: string }> {
    const { submission } = this.#decided
    const { workspaceId, sender, place, messageId, change, now } = submission
    const target = change === 'update' ? messageId : null
    await stillThere(tx, submission)
    const auditId = newId('aud')
    const review = newMessageReview(this.#decided, auditId, this.#keys, { target, attachments })
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
    await appendInTransaction(tx, workspaceId, [draftMessageRecord(this.#decided, outcome, this.#keys.hasher)], this.#keys.hasher)
    return { reviewItemId: item.id, auditId }
  }
}

/** The conversation stays until `tx` ends. Throws NOT_FOUND if it was deleted while the text was governed. */
async function stillThere(tx: Tx, { workspaceId, place }: TextSubmission): Promise<void> {
  const row = await tx
    .selectFrom('conversation')
    .select('id')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuidOf('conv', place.id))
    .forKeyShare()
    .executeTakeFirst()
  if (!row) throw notFound('conversation')
}
