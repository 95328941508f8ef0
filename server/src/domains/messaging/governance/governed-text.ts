import type { Tx } from '../../../platform/db/database.ts'
import { newId } from '../../../platform/lib/id.ts'
import type { SecretBox } from '../../../platform/lib/secret-box.ts'
import { Unavailable } from '../../../platform/lib/unavailable.ts'
import type { GovernedString } from '../../../shared/governed.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { appendInTransaction } from '../../audit/chain/append-in-transaction.ts'
import type { AuditedDeps } from '../../audit/chain/audited-transaction.ts'
import type { RecordSealer } from '../../audit/chain/chain.ts'
import type { AuditWriter } from '../../audit/chain/writer.ts'
import type { AuditDraft } from '../../audit/record/record.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import { openEscalation } from '../../review/review-store.ts'
import { type HeldText, heldText } from './held-text.ts'
import { draftMessageRecord } from './message-audit-record.ts'
import { newMessageReview } from './message-review.ts'
import { decideOnText, type TextDecision, type TextDecisionDeps } from './text-decision.ts'
import type { TextSubmission } from './text-submission.ts'

export interface GovernTextDeps extends TextDecisionDeps {
  readonly reviewBox: SecretBox
  readonly audit: AuditedDeps['audit'] & Pick<AuditWriter, 'append'>
}

declare const governed: unique symbol

/**
 * Texts that may be stored: policies allow them, or the Workspace has no rules for messages. Stores take this type instead of a string,
 * so that no text bypasses the policies. Only this module makes one.
 */
export interface GovernedText {
  readonly [governed]: true
  readonly kind: 'governed'
  /** The texts after the transforms: the message, then the other texts of it, such as names of files. */
  readonly texts: readonly GovernedString[]
  /** Whether a policy escalated it. */
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

/** The message's own text. */
export const textOf = ({ texts: [text] }: GovernedText): GovernedString => text ?? ('' as GovernedString)

/** Returns the governed text, a held text if it requires approval, or POLICY_DENIED, with an audit record. */
export const governText = (submission: TextSubmission, deps: GovernTextDeps): Promise<GovernedText | HeldText | Refusal> =>
  govern(submission, deps, (decided, keys) => heldText(decided, keys, deps.reviewBox))

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
  const { rules, verdict } = decided.decision
  const draft = draftMessageRecord(decided, { auditId, error: 'POLICY_DENIED' }, hasher)
  await requireRecorded(audit.append(draft.workspace_id, draft))
  const decidingRules = rules.filter((rule) => rule.verdict === verdict).map(({ id }) => id)
  const details = { rules: decidingRules, point: 'message' }
  const approvalMessage = verdict === 'require_approval' && {
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
