import type { Tx } from '../../../platform/db/database.ts'
import { hasRow } from '../../../platform/db/from-row.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { newId, newUuid } from '../../../platform/lib/id.ts'
import type { SecretBox } from '../../../platform/lib/secret-box.ts'
import { Unavailable } from '../../../platform/lib/unavailable.ts'
import { decidingRules } from '../../../shared/decision.ts'
import type { GovernedString } from '../../../shared/governed.ts'
import { Refusal, refuseUnknown } from '../../../shared/refusal.ts'
import { appendInTransaction } from '../../audit/chain/append-in-transaction.ts'
import type { AuditedDeps } from '../../audit/chain/audited-transaction.ts'
import type { RecordSealer } from '../../audit/chain/chain.ts'
import type { AuditWriter } from '../../audit/chain/writer.ts'
import type { AuditDraft } from '../../audit/record/record.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import { openEscalation, openHold } from '../../review/review-store.ts'
import { emit } from '../events/event.ts'
import { draftMessageRecord, newMessageReview } from './message-records.ts'
import { decideOnText, type TextDecision, type TextDecisionDeps, type TextSubmission } from './text-decision.ts'

export interface GovernTextDeps extends TextDecisionDeps {
  readonly reviewBox: SecretBox
  readonly audit: AuditedDeps['audit'] & Pick<AuditWriter, 'append'>
}

declare const governed: unique symbol

/** Stores take this type instead of a string, so that no text bypasses the policies. Only this module makes one. */
export interface GovernedText {
  readonly [governed]: true
  readonly kind: 'governed'
  /** The texts after the transforms: the message, then the other texts of it, such as names of files. */
  readonly texts: readonly GovernedString[]
  readonly flagged: boolean
  /** `aud_…` of the decision; null: not governed. */
  readonly auditId: string | null
  /** Writes the audit record of the decision, and its escalation. Last in the transaction that stores the texts: see appendInTransaction. */
  readonly settle: (tx: Tx) => Promise<void>
}

const governedText = (fields: Pick<GovernedText, 'flagged' | 'auditId' | 'settle'> & { readonly texts: readonly string[] }) =>
  ({ kind: 'governed', ...fields }) as GovernedText

/** `id` if it is one of `ids`, which the server generated; otherwise undefined. */
export const unchanged = (id: string, ids: ReadonlySet<string>): GovernedString | undefined =>
  ids.has(id) ? (id as GovernedString) : undefined

export const textOf = ({ texts: [text] }: GovernedText): GovernedString => text ?? ('' as GovernedString)

/** Returns the governed text, a held text if it requires approval, or POLICY_DENIED, with an audit record. */
export const governText = (submission: TextSubmission, deps: GovernTextDeps): Promise<GovernedText | HeldText | Refusal> =>
  govern(submission, deps, (decided, keys) => ({
    kind: 'held',
    open: (tx, attachments) => openHeld(tx, decided, keys, deps.reviewBox, attachments),
  }))

/** The same for texts that cannot be held: a text that requires approval is denied. */
export const governWithoutHold = (submission: TextSubmission, deps: GovernTextDeps): Promise<GovernedText | Refusal> =>
  govern(submission, deps, (decided, keys) => deny(decided, keys, deps))

async function govern<T>(
  submission: TextSubmission,
  deps: GovernTextDeps,
  hold: (decided: TextDecision, keys: WorkspaceKeys) => T | Promise<T>,
): Promise<GovernedText | Refusal | T> {
  const decided = await decideOnText(submission, deps)
  if (!decided) return ungoverned(submission)
  const keys = await deps.workspaceKeys.get(submission.workspaceId)
  const { verdict } = decided.decision
  if (verdict === 'deny') return deny(decided, keys, deps)
  return verdict === 'require_approval' ? hold(decided, keys) : allow(decided, keys, deps)
}

/** Governs a held text that a reviewer has approved: with the current policies (GW-REV-12). Undefined if they deny it. */
export async function governReleased(
  submission: TextSubmission,
  reviewItemId: string,
  deps: TextDecisionDeps,
): Promise<GovernedText | undefined> {
  const decided = await decideOnText(submission, deps)
  if (!decided) return ungoverned(submission)
  if (decided.decision.verdict === 'deny') return undefined
  const keys = await deps.workspaceKeys.get(submission.workspaceId)
  const auditId = newId('aud')
  const draft = draftMessageRecord(decided, { auditId, review: { id: reviewItemId, state: 'released' } }, keys.hasher)
  return governedText({ texts: decided.texts, flagged: false, auditId, settle: (tx) => append(tx, draft, keys.hasher) })
}

const ungoverned = ({ texts }: TextSubmission): GovernedText =>
  governedText({ texts, flagged: false, auditId: null, settle: () => Promise.resolve() })

function allow(decided: TextDecision, keys: WorkspaceKeys, { reviewBox }: GovernTextDeps): GovernedText {
  const auditId = newId('aud')
  const { texts, decision, submission } = decided
  const flagged = decision.verdict === 'escalate'
  const settle = async (tx: Tx): Promise<void> => {
    const opener = { workspaceId: submission.workspaceId, applicationId: null }
    const item = flagged ? await openEscalation(tx, opener, newMessageReview(decided, auditId, keys), reviewBox) : undefined
    const review = item && { review: { id: item.id, state: 'pending' } }
    await append(tx, draftMessageRecord(decided, { auditId, ...review }, keys.hasher), keys.hasher)
  }
  return governedText({ texts, flagged, auditId, settle })
}

async function deny(decided: TextDecision, { hasher }: WorkspaceKeys, { audit }: GovernTextDeps): Promise<Refusal> {
  const auditId = newId('aud')
  const draft = draftMessageRecord(decided, { auditId, error: 'POLICY_DENIED' }, hasher)
  await requireRecorded(audit.append(draft.workspace_id, draft))
  const details = { rules: decidingRules(decided.decision), point: 'message' }
  const approvalMessage = decided.decision.verdict === 'require_approval' && {
    message: 'The policies require approval for this, and it cannot be held for a review. Change it, or ask an operator.',
  }
  return new Refusal('POLICY_DENIED', { auditId, details, ...approvalMessage })
}

const append = (tx: Tx, draft: AuditDraft, hasher: RecordSealer): Promise<void> =>
  requireRecorded(appendInTransaction(tx, draft.workspace_id, [draft], hasher))

/** A decision that cannot be recorded has no effect (GW-SAFE-3). */
async function requireRecorded(writing: Promise<unknown>): Promise<void> {
  try {
    await writing
  } catch (cause) {
    throw new Unavailable('The decision could not be recorded, so nothing was stored.', { cause })
  }
}

/** A text that requires approval. It cannot be stored as a message, only opened as a hold. */
export interface HeldText {
  readonly kind: 'held'
  /** Returns the existing hold of an identical text. Last in its transaction. `attachments` null: an update that keeps the files. */
  readonly open: (tx: Tx, attachments: readonly string[] | null) => Promise<OpenedHold | Refusal>
}

export interface OpenedHold {
  readonly reviewItemId: string
  readonly auditId: string
}

async function openHeld(
  tx: Tx,
  decided: TextDecision,
  keys: WorkspaceKeys,
  box: SecretBox,
  attachments: readonly string[] | null,
): Promise<OpenedHold | Refusal> {
  const { submission } = decided
  const { workspaceId, sender, place, messageId, change, now } = submission
  const target = change === 'update' ? messageId : null
  if (!(await lockConversation(tx, submission))) return refuseUnknown('conversation')
  const auditId = newId('aud')
  const review = newMessageReview(decided, auditId, keys, { target, attachments })
  const { item, created } = await openHold(tx, { workspaceId, applicationId: null }, review, box)
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
  await appendInTransaction(tx, workspaceId, [draftMessageRecord(decided, outcome, keys.hasher)], keys.hasher)
  return { reviewItemId: item.id, auditId }
}

/** Prevents that the conversation is deleted before `tx` ends. Returns false if it was deleted while the text was governed. */
const lockConversation = (tx: Tx, { workspaceId, place }: TextSubmission): Promise<boolean> =>
  tx
    .selectFrom('conversation')
    .select('id')
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), id: uuidOf('conv', place.id) }))
    .forKeyShare()
    .$call(hasRow)
