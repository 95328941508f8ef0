import { appendInTransaction } from '../../audit/audit-store.ts'
import type { AuditDraft } from '../../audit/record.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import type { AuditWriter } from '../../audit/writer.ts'
import { ERRORS, type ErrorCode, type ErrorFields, GatehouseError } from '../../errors.ts'
import type { Cache } from '../../lib/cache.ts'
import { isUnavailable } from '../../lib/faults.ts'
import type { Facts } from '../facts.ts'
import type { Outcome } from '../outcome.ts'
import type { PipelineResult } from '../pipeline-result.ts'
import { type Answered, draftOf } from '../record-draft.ts'
import type { Exchange } from '../request.ts'
import type { ReviewDeps } from '../resubmission.ts'
import { giveUpRelease, reviewWork, settleReviews } from '../review-work.ts'
import type { Trail } from '../trail.ts'

export interface RecordDeps extends ReviewDeps {
  readonly audit: Pick<AuditWriter, 'append'>
  /** A Workspace's keys, by its id. */
  readonly workspaceKeys: Cache<WorkspaceKeys>
}

type Failure = { readonly code: ErrorCode; readonly fields: ErrorFields }

/**
 * Stage 12 of 12, after every success, refusal and failure: the record is sealed and durable before the answer leaves, and
 * whatever the exchange writes besides (holds, escalations, releases) is written in its transaction. A record that cannot be
 * written lets nothing out (decisions.md §2.2).
 */
export async function record(
  exchange: Exchange,
  outcome: Outcome,
  trail: Trail<Facts>,
  deps: RecordDeps,
): Promise<PipelineResult> {
  const { authenticate, admit } = trail.facts
  const error = failureOf(outcome)
  const cause = outcome.kind === 'failed' ? outcome.cause : undefined
  // Refused by stage 1 or 2: there was no execution (decisions.md §2.1).
  if (!authenticate || !admit)
    return { trail, auditId: undefined, completionJson: undefined, held: undefined, cause, ...statusOf(error) }

  const { auditId } = admit
  const completion = error ? undefined : trail.facts.inspect?.completion
  const completionJson = completion && JSON.stringify(completion)
  try {
    const { status } = statusOf(error)
    const answered = { status, errorCode: error?.code ?? null, completionJson }
    const facts = { ...trail.facts, authenticate, admit }
    const { hasher } = await deps.workspaceKeys.get(authenticate.application.workspaceId)
    const createdAt = deps.clock.now()
    const draft = (review: Answered['review']) =>
      draftOf(exchange, { application: authenticate.application, admit }, trail, { ...answered, review }, { createdAt, hasher })
    const reviewItem = await write(exchange, outcome, error, facts, draft, deps)
    const itemId = reviewItem?.id ?? error?.fields.reviewItemId
    const named = error && { code: error.code, fields: { ...error.fields, auditId, ...(itemId && { reviewItemId: itemId }) } }
    const held = outcome.kind === 'held' && itemId ? { itemId } : undefined
    return { trail, auditId, completionJson, held, cause, ...statusOf(named) }
  } catch (failure) {
    await giveUpRelease(trail.facts, deps)
    const unavailable: Failure = { code: 'UNAVAILABLE', fields: { auditId, message: UNRECORDED } }
    return { trail, auditId, completionJson: undefined, held: undefined, cause: cause ?? failure, ...statusOf(unavailable) }
  }
}

const UNRECORDED = 'The audit record could not be written, so nothing is answered. Try again.'

/** The record, alone or together with what it records. Answers the review item to name, if there is one. */
async function write(
  exchange: Exchange,
  outcome: Outcome,
  error: Failure | undefined,
  facts: Partial<Facts> & Pick<Facts, 'authenticate' | 'admit'>,
  draft: (review: Answered['review']) => AuditDraft,
  { audit, db, clock, reviewBox, waiters }: RecordDeps,
): Promise<Answered['review']> {
  const { workspaceId } = facts.authenticate.application
  const work = reviewWork(outcome, facts)
  if (!work) {
    const known =
      facts.authorize?.release?.item.id ?? error?.fields.reviewItemId ?? (outcome.kind === 'held' ? outcome.itemId : undefined)
    const review = known === undefined ? null : { id: known, state: outcome.kind === 'held' ? 'pending' : 'known' }
    await audit.append(workspaceId, draft(review))
    return review
  }
  const changed = await db.transaction().execute(async (tx) => {
    const items = await settleReviews(tx, work, { exchange, facts, error, now: clock.now() }, reviewBox)
    await appendInTransaction(tx, workspaceId, [draft(items[0] ?? null)])
    return items
  })
  for (const { id } of changed) await waiters.changed(id)
  return work.open === 'escalation' ? null : (changed[0] ?? null)
}

function failureOf(outcome: Outcome): Failure | undefined {
  if (outcome.kind === 'answered') return undefined
  if (outcome.kind === 'refused') return outcome
  if (outcome.kind === 'held') {
    return { code: 'POLICY_REVIEW_PENDING', fields: outcome.itemId === undefined ? {} : { reviewItemId: outcome.itemId } }
  }
  const { cause } = outcome
  if (cause instanceof GatehouseError) return { code: cause.code, fields: cause.fields }
  return { code: isUnavailable(cause) ? 'UNAVAILABLE' : 'INTERNAL', fields: {} }
}

const statusOf = (error: Failure | undefined) => ({ status: error ? ERRORS[error.code].status : 200, error })
