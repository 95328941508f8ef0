import { appendInTransaction } from '../../audit/audit-store.ts'
import type { RecordSealer } from '../../audit/chain.ts'
import type { AuditDraft } from '../../audit/record.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import type { AuditWriter } from '../../audit/writer.ts'
import type { Tx } from '../../db/database.ts'
import type { GovernedString } from '../../domain/governed.ts'
import { GatehouseError } from '../../errors.ts'
import { newId } from '../../lib/id.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { openEscalation } from '../../review/review-store.ts'
import { HeldText } from './held-text.ts'
import { type JudgeDeps, type Judgement, judge } from './judge.ts'
import { messageDraft } from './message-record.ts'
import { newReview } from './message-review.ts'
import type { Utterance } from './utterance.ts'

export interface GovernDeps extends JudgeDeps {
  readonly reviewBox: SecretBox
  readonly audit: Pick<AuditWriter, 'append'>
}

interface Passed {
  readonly texts: readonly string[]
  readonly flagged: boolean
  readonly auditId: string | null
  readonly settle: (tx: Tx) => Promise<void>
}

let passed: (fields: Passed) => GovernedText

/**
 * Texts that may be stored: only what policies have let pass, or nobody governs, becomes one. Whatever stores a message takes
 * this instead of a string, so there is no way around the policies.
 */
export class GovernedText {
  /** Transforms applied: the message first, then what came with it. */
  readonly texts: readonly GovernedString[]
  /** Policies escalated it. */
  readonly flagged: boolean
  /** `aud_…` of the decision; null: nobody governs. */
  readonly auditId: string | null
  readonly #settle: Passed['settle']

  static {
    passed = (fields) => new GovernedText(fields)
  }

  private constructor({ texts, flagged, auditId, settle }: Passed) {
    this.texts = texts as readonly GovernedString[]
    this.flagged = flagged
    this.auditId = auditId
    this.#settle = settle
  }

  get text(): GovernedString {
    return this.texts[0] ?? ('' as GovernedString)
  }

  /** An id out of `ids`, which is nobody's words; undefined when it is none of them. */
  unchanged(id: string, ids: ReadonlySet<string>): GovernedString | undefined {
    return ids.has(id) ? (id as GovernedString) : undefined
  }

  /** Writes the decision's record, and its escalation. Last in the transaction that stores the texts: see appendInTransaction. */
  settle(tx: Tx): Promise<void> {
    return this.#settle(tx)
  }
}

/** What policies let pass, or what a person has to approve first. Throws POLICY_DENIED, recorded. */
export async function govern(utterance: Utterance, deps: GovernDeps): Promise<GovernedText | HeldText> {
  const judgement = await judge(utterance, deps)
  if (!judgement) return ungoverned(utterance)
  const keys = await deps.workspaceKeys.get(utterance.workspaceId)
  const { verdict } = judgement.decision
  if (verdict === 'deny') return denied(judgement, keys, deps)
  if (verdict === 'require_approval') return new HeldText(judgement, keys, deps.reviewBox)
  return letPass(judgement, keys, deps)
}

/** The same for what nobody can wait for: what a person would have to approve is denied. */
export async function governAtOnce(utterance: Utterance, deps: GovernDeps): Promise<GovernedText> {
  const judgement = await judge(utterance, deps)
  if (!judgement) return ungoverned(utterance)
  const keys = await deps.workspaceKeys.get(utterance.workspaceId)
  const { verdict } = judgement.decision
  if (verdict === 'deny' || verdict === 'require_approval') return denied(judgement, keys, deps)
  return letPass(judgement, keys, deps)
}

/**
 * A held text that a reviewer approves: the policies in force now are asked again (decisions.md §2.5, At release). Undefined
 * when they deny it.
 */
export async function governReleased(
  utterance: Utterance,
  reviewItemId: string,
  deps: JudgeDeps,
): Promise<GovernedText | undefined> {
  const judgement = await judge(utterance, deps)
  if (!judgement) return ungoverned(utterance)
  if (judgement.decision.verdict === 'deny') return undefined
  const keys = await deps.workspaceKeys.get(utterance.workspaceId)
  const auditId = newId('aud')
  const draft = messageDraft(judgement, { auditId, review: { id: reviewItemId, state: 'released' } }, keys.hasher)
  return passed({ texts: judgement.texts, flagged: false, auditId, settle: (tx) => append(tx, draft, keys.hasher) })
}

const ungoverned = ({ texts }: Utterance): GovernedText =>
  passed({ texts, flagged: false, auditId: null, settle: () => Promise.resolve() })

function letPass(judgement: Judgement, keys: WorkspaceKeys, { reviewBox }: GovernDeps): GovernedText {
  const auditId = newId('aud')
  const { texts, decision, utterance } = judgement
  const flagged = decision.verdict === 'escalate'
  const settle = async (tx: Tx): Promise<void> => {
    const opener = { workspaceId: utterance.workspaceId, applicationId: null }
    const item = flagged ? await openEscalation(tx, opener, newReview(judgement, auditId, keys), reviewBox) : undefined
    const review = item && { review: { id: item.id, state: 'pending' } }
    await append(tx, messageDraft(judgement, { auditId, ...review }, keys.hasher), keys.hasher)
  }
  return passed({ texts, flagged, auditId, settle })
}

async function denied(judgement: Judgement, { hasher }: WorkspaceKeys, { audit }: GovernDeps): Promise<never> {
  const auditId = newId('aud')
  const { rules, verdict } = judgement.decision
  const draft = messageDraft(judgement, { auditId, error: 'POLICY_DENIED' }, hasher)
  await recorded(audit.append(draft.workspace_id, draft))
  const deciding = rules.filter((rule) => rule.verdict === verdict).map(({ id }) => id)
  const details = { rules: deciding, point: 'message' }
  const held = verdict === 'require_approval' && { message: 'The policies want a person to approve this, and it cannot wait.' }
  throw new GatehouseError('POLICY_DENIED', { auditId, details, ...held })
}

const append = (tx: Tx, draft: AuditDraft, hasher: RecordSealer): Promise<void> =>
  recorded(appendInTransaction(tx, draft.workspace_id, [draft], hasher))

/** What cannot be recorded does not happen (decisions.md §2.2). */
async function recorded(writing: Promise<unknown>): Promise<void> {
  try {
    await writing
  } catch (cause) {
    throw new GatehouseError('UNAVAILABLE', { message: 'The decision could not be recorded, so nothing was stored.' }, cause)
  }
}
