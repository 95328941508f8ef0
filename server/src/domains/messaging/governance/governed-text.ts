import { GatehouseError } from '../../../errors.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { newId } from '../../../platform/lib/id.ts'
import type { SecretBox } from '../../../platform/lib/secret-box.ts'
import type { GovernedString } from '../../../shared/governed.ts'
import { appendInTransaction } from '../../audit/chain/append-in-transaction.ts'
import type { AuditedDeps } from '../../audit/chain/audited-transaction.ts'
import type { RecordSealer } from '../../audit/chain/chain.ts'
import type { AuditWriter } from '../../audit/chain/writer.ts'
import type { AuditDraft } from '../../audit/record/record.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import { openEscalation } from '../../review/review-store.ts'
import { HeldText } from './held-text.ts'
import { draftMessageRecord } from './message-audit-record.ts'
import { newMessageReview } from './message-review.ts'
import { decideOnText, type TextDecision, type TextDecisionDeps } from './text-decision.ts'
import type { TextSubmission } from './text-submission.ts'

export interface GovernTextDeps extends TextDecisionDeps {
  readonly reviewBox: SecretBox
  readonly audit: AuditedDeps['audit'] & Pick<AuditWriter, 'append'>
}

interface GovernedTextFields {
  readonly texts: readonly string[]
  readonly flagged: boolean
  readonly auditId: string | null
  readonly settle: (tx: Tx) => Promise<void>
}

/** Creates a GovernedText; no other module can. */
let createGoverned: (fields: GovernedTextFields) => GovernedText

/**
 * Texts that may be stored: policies allow them, or the Workspace has no rules for messages. Stores take this type instead of a string,
 * so that no text bypasses the policies.
 */
export class GovernedText {
  /** The texts after the transforms: the message, then the other texts of it, such as names of files. */
  readonly texts: readonly GovernedString[]
  /** Whether a policy escalated it. */
  readonly flagged: boolean
  /** `aud_…` of the decision; null: not governed. */
  readonly auditId: string | null
  readonly #settle: GovernedTextFields['settle']

  static {
    createGoverned = (fields) => new GovernedText(fields)
  }

  private constructor({ texts, flagged, auditId, settle }: GovernedTextFields) {
    this.texts = texts as readonly GovernedString[]
    this.flagged = flagged
    this.auditId = auditId
    this.#settle = settle
  }

  get text(): GovernedString {
    return this.texts[0] ?? ('' as GovernedString)
  }

  /** `id` if it is one of `ids`, which the server generated; otherwise undefined. */
  unchanged(id: string, ids: ReadonlySet<string>): GovernedString | undefined {
    return ids.has(id) ? (id as GovernedString) : undefined
  }

  /** Writes the audit record of the decision, and its escalation. Last in the transaction that stores the texts: see appendInTransaction. */
  settle(tx: Tx): Promise<void> {
    return this.#settle(tx)
  }
}

/** Returns the governed text, or a held text if it requires approval. Throws POLICY_DENIED, with an audit record. */
export async function governText(submission: TextSubmission, deps: GovernTextDeps): Promise<GovernedText | HeldText> {
  const decided = await decideOnText(submission, deps)
  if (!decided) return ungoverned(submission)
  const keys = await deps.workspaceKeys.get(submission.workspaceId)
  const { verdict } = decided.decision
  if (verdict === 'deny') return deny(decided, keys, deps)
  if (verdict === 'require_approval') return new HeldText(decided, keys, deps.reviewBox)
  return allow(decided, keys, deps)
}

/** The same for texts that cannot be held: a text that requires approval is denied. */
export async function governWithoutHold(submission: TextSubmission, deps: GovernTextDeps): Promise<GovernedText> {
  const decided = await decideOnText(submission, deps)
  if (!decided) return ungoverned(submission)
  const keys = await deps.workspaceKeys.get(submission.workspaceId)
  const { verdict } = decided.decision
  if (verdict === 'deny' || verdict === 'require_approval') return deny(decided, keys, deps)
  return allow(decided, keys, deps)
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
  return createGoverned({ texts: decided.texts, flagged: false, auditId, settle: (tx) => append(tx, draft, keys.hasher) })
}

const ungoverned = ({ texts }: TextSubmission): GovernedText =>
  createGoverned({ texts, flagged: false, auditId: null, settle: () => Promise.resolve() })

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
  return createGoverned({ texts, flagged, auditId, settle })
}

async function deny(decided: TextDecision, { hasher }: WorkspaceKeys, { audit }: GovernTextDeps): Promise<never> {
  const auditId = newId('aud')
  const { rules, verdict } = decided.decision
  const draft = draftMessageRecord(decided, { auditId, error: 'POLICY_DENIED' }, hasher)
  await requireRecorded(audit.append(draft.workspace_id, draft))
  const decidingRules = rules.filter((rule) => rule.verdict === verdict).map(({ id }) => id)
  const details = { rules: decidingRules, point: 'message' }
  const approvalMessage = verdict === 'require_approval' && {
    message: 'The policies require approval for this, and it cannot be held for a review. Change it, or ask an operator.',
  }
  throw new GatehouseError('POLICY_DENIED', { auditId, details, ...approvalMessage })
}

const append = (tx: Tx, draft: AuditDraft, hasher: RecordSealer): Promise<void> =>
  requireRecorded(appendInTransaction(tx, draft.workspace_id, [draft], hasher))

/** A decision that cannot be recorded has no effect (GW-SAFE-3). */
async function requireRecorded(writing: Promise<unknown>): Promise<void> {
  try {
    await writing
  } catch (cause) {
    throw new GatehouseError('UNAVAILABLE', { message: 'The decision could not be recorded, so nothing was stored.' }, cause)
  }
}
