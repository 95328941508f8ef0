import { appendInTransaction } from '../../audit/audit-store.ts'
import type { KeyedHasher } from '../../audit/hashes.ts'
import type { AuditDraft } from '../../audit/record.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import type { AuditWriter } from '../../audit/writer.ts'
import type { Tx } from '../../db/database.ts'
import { type ReportFault, reportBrokenConditions } from '../../domain/fault.ts'
import { ERRORS, type ErrorCode, type ErrorFields, GatehouseError } from '../../errors.ts'
import type { Cache } from '../../lib/cache.ts'
import { isUnavailable } from '../../lib/faults.ts'
import { type MemoryDraft, storeMemory } from '../../memory/capture.ts'
import { decisionOf, type Facts } from '../facts.ts'
import { UNIDENTIFIED } from '../neutral.ts'
import type { Outcome } from '../outcome.ts'
import type { PipelineResult } from '../pipeline-result.ts'
import { type Answered, draftOf, type StoredMemory } from '../record-draft.ts'
import type { Exchange } from '../request.ts'
import type { ReviewDeps } from '../resubmission.ts'
import { giveUpRelease, reviewWork, settleReviews } from '../review-work.ts'
import type { Trail } from '../trail.ts'
import { viewerOf } from '../viewer.ts'

export interface RecordDeps extends ReviewDeps {
  readonly audit: Pick<AuditWriter, 'append'>
  /** A Workspace's keys, by its id. */
  readonly workspaceKeys: Cache<WorkspaceKeys>
  readonly reportFault: ReportFault
}

type Failure = { readonly code: ErrorCode; readonly fields: ErrorFields }

/**
 * Stage 12 of 12, after every success, refusal and failure: the record is sealed and durable before the answer leaves, and
 * whatever the exchange writes besides (holds, escalations, releases, memories) is written in its transaction. A record that cannot be
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
    return { trail, auditId: undefined, completionJson: undefined, held: undefined, remembered: [], cause, ...statusOf(error) }

  const { auditId } = admit
  reportBrokenConditions(decisionOf(trail.facts)?.rules ?? [], deps.reportFault)
  const completion = error ? undefined : trail.facts.inspect?.completion
  const completionJson = completion && JSON.stringify(completion)
  try {
    const { status } = statusOf(error)
    const answered = { status, errorCode: error?.code ?? null, completionJson }
    const facts = { ...trail.facts, authenticate, admit }
    const { hasher } = await deps.workspaceKeys.get(authenticate.application.workspaceId)
    const createdAt = deps.clock.now()
    const draft = (written: Written) =>
      draftOf(
        exchange,
        { application: authenticate.application, admit },
        trail,
        { ...answered, ...written },
        { createdAt, hasher },
      )
    const { review, remembered } = await write({ exchange, outcome, error, facts, draft, hasher }, deps)
    const itemId = review?.id ?? error?.fields.reviewItemId
    const named = error && { code: error.code, fields: { ...error.fields, auditId, ...(itemId && { reviewItemId: itemId }) } }
    const held = outcome.kind === 'held' && itemId ? { itemId } : undefined
    return { trail, auditId, completionJson, held, remembered, cause, ...statusOf(named) }
  } catch (failure) {
    await giveUpRelease(trail.facts, deps)
    const unavailable: Failure = { code: 'UNAVAILABLE', fields: { auditId, message: UNRECORDED } }
    const nothing = { completionJson: undefined, held: undefined, remembered: [] }
    return { trail, auditId, ...nothing, cause: cause ?? failure, ...statusOf(unavailable) }
  }
}

const UNRECORDED = 'The audit record could not be written, so nothing is answered. Try again.'

/** What the record names of what was written beside it. */
type Written = Pick<Answered, 'review' | 'remembered'>

interface Recording {
  readonly exchange: Exchange
  readonly outcome: Outcome
  readonly error: Failure | undefined
  readonly facts: Partial<Facts> & Pick<Facts, 'authenticate' | 'admit'>
  readonly draft: (written: Written) => AuditDraft
  readonly hasher: KeyedHasher
}

/** The record, alone or together with what it records. Answers the review item to name, if there is one, and the memories. */
async function write(
  { exchange, outcome, error, facts, draft, hasher }: Recording,
  { audit, db, clock, reviewBox, waiters }: RecordDeps,
): Promise<Written> {
  const { workspaceId } = facts.authenticate.application
  const work = reviewWork(exchange, outcome, facts)
  const memories = outcome.kind === 'answered' ? (facts.remember?.drafts ?? []) : []
  if (!work && memories.length === 0) {
    const known =
      facts.authorize?.release?.item.id ?? error?.fields.reviewItemId ?? (outcome.kind === 'held' ? outcome.itemId : undefined)
    const review = known === undefined ? null : { id: known, state: outcome.kind === 'held' ? 'pending' : 'known' }
    await audit.append(workspaceId, draft({ review, remembered: [] }))
    return { review, remembered: [] }
  }
  const now = clock.now()
  const { changed, remembered } = await db.transaction().execute(async (tx) => {
    const remembered = await keep(tx, memories, facts, hasher, now)
    const changed = work ? await settleReviews(tx, work, { exchange, facts, error, now }, reviewBox) : []
    await appendInTransaction(tx, workspaceId, [draft({ review: changed[0] ?? null, remembered })], hasher)
    return { changed, remembered }
  })
  for (const { id } of changed) await waiters.changed(id)
  return { review: work?.open === 'escalation' ? null : (changed[0] ?? null), remembered }
}

async function keep(
  tx: Tx,
  drafts: readonly MemoryDraft[],
  { authenticate, identify }: Recording['facts'],
  hasher: KeyedHasher,
  now: Date,
): Promise<StoredMemory[]> {
  const viewer = viewerOf(authenticate, identify ?? UNIDENTIFIED)
  const stored: StoredMemory[] = []
  for (const draft of drafts) {
    const { id } = await storeMemory(tx, viewer, draft, hasher, now)
    stored.push({ id, mode: draft.mode, content: draft.content })
  }
  return stored
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
