import { appendInTransaction } from '../../domains/audit/chain/append-in-transaction.ts'
import { type AuditedDeps, auditedTransaction } from '../../domains/audit/chain/audited-transaction.ts'
import type { AuditWriter } from '../../domains/audit/chain/writer.ts'
import type { KeyedHasher } from '../../domains/audit/record/hashes.ts'
import type { AuditDraft } from '../../domains/audit/record/record.ts'
import type { WorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import { settlementOf } from '../../domains/budgets/ledger.ts'
import { storeMemories } from '../../domains/memory/capture.ts'
import type { Provider } from '../../domains/providers/provider.ts'
import { isDeclaredModel } from '../../domains/providers/route.ts'
import type { ReviewDeps } from '../../domains/review/resubmission.ts'
import type { Cache } from '../../platform/lib/cache.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { type ReportFault, reportBrokenConditions } from '../../shared/fault.ts'
import { type Outcome, RESPONSE_NOT_FOUND } from '../../shared/outcome.ts'
import type { Application } from '../../shared/principal.ts'
import type { Settlement } from '../../shared/spending.ts'
import { viewerOf } from '../../shared/viewer.ts'
import { chargeOf } from '../charge.ts'
import { type Failure, failureOf, type PipelineResult, statusOf } from '../pipeline-result.ts'
import {
  AlreadyDeleted,
  endUnrecordedClaim,
  type FinishedRun,
  type ResponseChange,
  responseChange,
  reviewChanges,
  writeResponseChange,
  writeReviewChanges,
} from '../record-changes.ts'
import { draftOf, type RecordedChanges } from '../record-draft.ts'
import type { IncomingRequest } from '../request.ts'
import { decisionOf, type StageResults, UNIDENTIFIED } from '../stage-results.ts'
import type { StageTrace } from '../stage-trace.ts'

export interface RecordDeps extends ReviewDeps {
  readonly audit: AuditedDeps['audit'] & Pick<AuditWriter, 'append'>
  readonly workspaceKeys: Cache<WorkspaceKeys>
  readonly providers: Cache<readonly Provider[]>
  readonly responseBox: SecretBox
  readonly reportFault: ReportFault
}

/** Stage 12 of 12: the record is durable before the response is sent. If it cannot be written, nothing is sent (GW-SAFE-3). */
export async function record(
  incoming: IncomingRequest,
  outcome: Outcome,
  trace: StageTrace<StageResults>,
  deps: RecordDeps,
): Promise<PipelineResult> {
  const { authenticate, admit } = trace.results
  const error = failureOf(outcome)
  const cause = outcome.kind === 'failed' ? outcome.cause : undefined
  const noContent = { completionJson: undefined, held: undefined, remembered: [] }
  // A request that stage 1 or 2 refused has no record (GW-PIPE-10).
  if (!authenticate || !admit) return { trace, auditId: undefined, ...noContent, cause, ...statusOf(error) }

  const { auditId } = admit
  reportBrokenConditions(decisionOf(trace.results)?.rules ?? [], deps.reportFault)
  const answer = error ? undefined : (trace.results.inspect?.completion ?? trace.results.invoke?.embeddings)
  const completionJson = answer && JSON.stringify(answer)
  try {
    const { hasher } = await deps.workspaceKeys.get(authenticate.application.workspaceId)
    const results = { ...trace.results, authenticate, admit }
    const isDeclared = await declaredModels(authenticate.application, deps)
    const sealing = { createdAt: deps.clock.now(), hasher, isDeclared }
    const change = responseChange(outcome, results, trace)
    const { reservation } = results
    const charge = reservation && chargeOf(results, reservation, deps.clock.now())
    const settlements = reservation && charge ? [settlementOf(reservation, charge)] : []
    const response = { status: statusOf(error).status, errorCode: error?.code ?? null, completionJson, change, charge }
    const draft = (changes: RecordedChanges) => draftOf(incoming, results, trace, { ...response, ...changes }, sealing)
    const { review, remembered } = await writeRecord(
      { incoming, outcome, error, results, draft, hasher, change, isDeclared, settlements },
      deps,
    )
    const itemId = review?.id ?? error?.fields.reviewItemId
    const expiresAt = outcome.kind === 'held' ? (review?.expiresAt ?? error?.fields.expiresAt) : undefined
    const publicError = error && {
      code: error.code,
      fields: { ...error.fields, auditId, ...(itemId && { reviewItemId: itemId }), ...(expiresAt && { expiresAt }) },
    }
    const held = outcome.kind === 'held' && itemId ? { itemId } : undefined
    return { trace, auditId, completionJson, held, remembered, cause, ...statusOf(publicError) }
  } catch (failure) {
    if (failure instanceof AlreadyDeleted) return record(incoming, RESPONSE_NOT_FOUND, trace, deps)
    await endUnrecordedClaim(trace.results, deps)
    const unavailable: Failure = { code: 'UNAVAILABLE', fields: { auditId, message: UNRECORDED } }
    return { trace, auditId, ...noContent, cause: cause ?? failure, ...statusOf(unavailable) }
  }
}

/** A test for names of models. The record is written without the providers too: then no name but the Application's own is known. */
async function declaredModels({ workspaceId, defaultModel }: Application, { providers }: Pick<RecordDeps, 'providers'>) {
  const loaded = providers.get(workspaceId)
  const declared = loaded instanceof Promise ? await loaded.catch(() => []) : loaded
  return (name: string): boolean => name === defaultModel || isDeclaredModel(declared, name)
}

const UNRECORDED = 'The audit record could not be written, so nothing is answered. Try again.'

interface Recording extends Omit<FinishedRun, 'now'> {
  readonly outcome: Outcome
  readonly draft: (changes: RecordedChanges) => AuditDraft
  readonly hasher: KeyedHasher
  readonly change: ResponseChange | undefined
  readonly settlements: readonly Settlement[]
}

async function writeRecord(
  { incoming, outcome, error, results, draft, hasher, change, isDeclared, settlements }: Recording,
  { audit, db, clock, reviewBox, responseBox, waiters }: RecordDeps,
): Promise<RecordedChanges> {
  const { workspaceId } = results.authenticate.application
  const changes = reviewChanges(incoming, outcome, results)
  const memories = outcome.kind === 'answered' ? (results.remember?.drafts ?? []) : []
  if (!changes && !change && memories.length === 0) {
    const review = knownReview(outcome, results, error)
    await audit.append(workspaceId, draft({ review, remembered: [] }), { settlements })
    return { review, remembered: [] }
  }
  // A release that is sent again changes no item.
  const known = changes ? null : knownReview(outcome, results, error)
  const now = clock.now()
  const viewer = viewerOf(results.authenticate, results.identify ?? UNIDENTIFIED)
  const { changed, remembered } = await auditedTransaction({ db, audit }, async (tx) => {
    const remembered = await storeMemories(tx, viewer, memories, hasher, now)
    const changed = changes ? await writeReviewChanges(tx, changes, { incoming, results, error, now, isDeclared }, reviewBox) : []
    if (change) await writeResponseChange(tx, change, results, { now, box: responseBox })
    await appendInTransaction(tx, workspaceId, [draft({ review: changed[0] ?? known, remembered })], hasher, { settlements })
    return { changed, remembered }
  })
  for (const { id } of changed) await waiters.changed(id)
  return { review: changes?.open === 'escalation' ? null : (changed[0] ?? known), remembered }
}

/** The review item of a request that changes none: it waits for the item, or its result is sent again. */
function knownReview(
  outcome: Outcome,
  { authorize }: FinishedRun['results'],
  error: Failure | undefined,
): RecordedChanges['review'] {
  const id = authorize?.release?.item.id ?? error?.fields.reviewItemId ?? (outcome.kind === 'held' ? outcome.itemId : undefined)
  return id === undefined ? null : { id, state: outcome.kind === 'held' ? 'pending' : 'known' }
}
