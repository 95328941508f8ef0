import { appendInTransaction } from '../../audit/audit-store.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import type { Tx } from '../../db/database.ts'
import { newId, newUuid } from '../../lib/id.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { openHold } from '../../review/review-store.ts'
import { notFound } from '../door/refusals.ts'
import { emit } from '../events/outbox.ts'
import { uuidOf } from '../ids.ts'
import type { Judgement } from './judge.ts'
import { messageDraft } from './message-record.ts'
import { newReview } from './message-review.ts'
import type { Utterance } from './utterance.ts'

/** What the message will carry once it is approved. */
export interface HeldExtras {
  /** `att_…`; null: an update that leaves them as they are. */
  readonly attachments: readonly string[] | null
}

/** A text that a person has to approve. It says nothing; it can only be put before the reviewers. */
export class HeldText {
  readonly #judgement: Judgement
  readonly #keys: WorkspaceKeys
  readonly #box: SecretBox

  constructor(judgement: Judgement, keys: WorkspaceKeys, box: SecretBox) {
    this.#judgement = judgement
    this.#keys = keys
    this.#box = box
  }

  /** Opens the hold and records it; answers the one that an identical attempt waits for already. Last in its transaction. */
  async open(tx: Tx, { attachments }: HeldExtras): Promise<{ reviewItemId: string; auditId: string }> {
    const { utterance } = this.#judgement
    const { workspaceId, sender, place, messageId, change, now } = utterance
    const target = change === 'update' ? messageId : null
    await stillThere(tx, utterance)
    const auditId = newId('aud')
    const review = newReview(this.#judgement, auditId, this.#keys, { target, attachments })
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
    const ending = { auditId, error: 'POLICY_REVIEW_PENDING', review: { id: item.id, state: 'pending' } } as const
    await appendInTransaction(tx, workspaceId, [messageDraft(this.#judgement, ending, this.#keys.hasher)], this.#keys.hasher)
    return { reviewItemId: item.id, auditId }
  }
}

/** The conversation stays until `tx` ends. Throws NOT_FOUND where it was deleted while the policies looked at the text. */
async function stillThere(tx: Tx, { workspaceId, place }: Utterance): Promise<void> {
  const row = await tx
    .selectFrom('conversation')
    .select('id')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuidOf('conv', place.id))
    .forKeyShare()
    .executeTakeFirst()
  if (!row) throw notFound('conversation')
}
