import { deleteStoredResponse, storeResponse } from '../domains/responses/stored-response-store.ts'
import { abandonRelease, completeRelease, interruptRelease } from '../domains/review/release-store.ts'
import type { ReviewDeps } from '../domains/review/resubmission.ts'
import type { ReleaseResult } from '../domains/review/review.ts'
import { type NewReview, openEscalation, openHold } from '../domains/review/review-store.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { newId } from '../platform/lib/id.ts'
import type { SecretBox } from '../platform/lib/secret-box.ts'
import { mayHaveHadEffect } from '../shared/completion.ts'
import type { Outcome } from '../shared/outcome.ts'
import type { NewStoredContent } from '../shared/stored-content.ts'
import { TrustedCaller } from './callers.ts'
import { responseOwner } from './continue-conversation.ts'
import { ENDPOINT_PLANS } from './endpoints.ts'
import { governanceOf } from './governance-block.ts'
import type { Failure } from './pipeline-result.ts'
import type { IncomingRequest } from './request.ts'
import { decisionOf, ownerOf, type StageResults, transformsOf, UNIDENTIFIED } from './stage-results.ts'
import type { StageTrace } from './stage-trace.ts'

export interface ReviewChanges {
  readonly open: 'hold' | 'escalation' | undefined
  readonly point: 'input' | 'output'
  /** Of a held request, in USD. Undefined: unknown. */
  readonly expectedCost?: number | undefined
  /** How the claimed release ends; undefined: none was claimed. */
  readonly release: 'complete' | 'abandon' | undefined
}

/** Undefined: no item changes, so the record is written without a transaction. */
export function reviewChanges(
  { endpoint }: Pick<IncomingRequest, 'endpoint'>,
  outcome: Outcome,
  results: Partial<StageResults>,
): ReviewChanges | undefined {
  const { admit, authorize, invoke } = results
  const first = authorize?.release?.kind === 'first' ? authorize.release : undefined
  const opensHold = outcome.kind === 'held' && outcome.itemId === undefined
  const isRepeated = authorize?.release?.kind === 'again'
  const verdict = decisionOf(results)?.verdict
  // A capture that requires approval is set aside and escalated.
  const needsReview =
    verdict === 'escalate' || (verdict === 'require_approval' && ENDPOINT_PLANS[endpoint].onRefusal === 'set_aside')
  const escalates = outcome.kind === 'answered' && needsReview && !admit?.request.dryRun && !isRepeated
  if (!first && !opensHold && !escalates) return undefined
  // A release is used up once its provider may have been called; a completion that was held at output is still there.
  const isUsedUp =
    outcome.kind === 'answered' || opensHold || (first?.item.point === 'input' && invoke?.attempts.some(mayHaveHadEffect))
  return {
    open: opensHold ? 'hold' : escalates ? 'escalation' : undefined,
    point: outcome.kind === 'held' ? outcome.point : authorize?.decision.verdict === verdict ? 'input' : 'output',
    ...(outcome.kind === 'held' && { expectedCost: outcome.expectedCost }),
    release: first && (isUsedUp ? 'complete' : 'abandon'),
  }
}

/** Results of a request that has a record. */
export type RecordedResults = Partial<StageResults> & Pick<StageResults, 'authenticate' | 'admit'>

export interface FinishedRun {
  readonly incoming: IncomingRequest
  readonly results: RecordedResults
  readonly error: Failure | undefined
  readonly now: Date
  /** Whether a model's name is declared. An item keeps no other name, because its content can be erased and its fields cannot. */
  readonly isDeclared: (model: string) => boolean
}

export interface ChangedReview {
  readonly id: string
  readonly state: string
  /** Of a hold. */
  readonly expiresAt?: Date
}

/** Writes the changes. Returns the changed items; the first is the one that the response names. */
export async function writeReviewChanges(
  tx: Tx,
  changes: ReviewChanges,
  run: FinishedRun,
  box: SecretBox,
): Promise<ChangedReview[]> {
  const owner = ownerOf(run.results.authenticate)
  const changed: ChangedReview[] = []
  if (changes.open === 'hold') {
    const { item } = await openHold(tx, owner, newReview(changes, run), box)
    changed.push({ id: item.id, state: 'pending', expiresAt: item.expiresAt })
  } else if (changes.open === 'escalation') {
    const item = await openEscalation(tx, owner, newReview(changes, run), box)
    changed.push({ id: item.id, state: 'pending' })
  }
  const release = run.results.authorize?.release
  if (release?.kind !== 'first') return changed
  const isClaimValid =
    changes.release === 'abandon'
      ? await abandonRelease(tx as Db, owner, release.claim)
      : await completeRelease(
          tx,
          owner,
          release.claim,
          { result: resultOf(run, changed[0]?.id), releasedAuditId: run.results.admit.auditId, now: run.now },
          box,
        )
  if (!isClaimValid) throw new Error('the claim on this release was lost')
  const own = { id: release.item.id, state: changes.release === 'abandon' ? 'approved' : 'released' }
  return changes.open === 'hold' ? [...changed, own] : [own, ...changed]
}

/** Otherwise other resubmissions would wait for the end of the lease. They do if the database is unavailable. */
export async function endUnrecordedClaim(
  { authenticate, authorize, invoke }: Partial<StageResults>,
  { db, waiters }: Pick<ReviewDeps, 'db' | 'waiters'>,
): Promise<void> {
  if (!authenticate || authorize?.release?.kind !== 'first') return
  const { claim } = authorize.release
  const endClaim = invoke?.attempts.some(mayHaveHadEffect) ? interruptRelease : abandonRelease
  try {
    await endClaim(db, ownerOf(authenticate), claim)
    await waiters.changed(claim.id)
  } catch {
    // The claim ends with its lease.
  }
}

function resultOf({ results, error }: FinishedRun, successorId: string | undefined): ReleaseResult {
  const completion = results.inspect?.completion
  if (error?.code === 'POLICY_REVIEW_PENDING' && successorId !== undefined) return { kind: 'held', successorId }
  if (error || !completion) {
    const { message, details } = error?.fields ?? {}
    return { kind: 'refusal', code: error?.code ?? 'INTERNAL', fields: { message, details } }
  }
  return {
    kind: 'answer',
    completion,
    ...(results.inspect && { decision: results.inspect.decision }),
    transforms: transformsOf(results),
    provider: results.invoke?.provider ?? '',
  }
}

function newReview(
  { point, expectedCost }: Pick<ReviewChanges, 'point' | 'expectedCost'>,
  { incoming, results, now, isDeclared }: FinishedRun,
): NewReview {
  const { authenticate, admit, identify, classify, authorize, invoke, inspect } = results
  const decision = decisionOf(results)
  const reached = decision?.rules.filter((rule) => rule.verdict === decision.verdict) ?? []
  const completion = point === 'output' ? invoke?.completion : undefined
  const model = admit.request.model || authenticate.application.defaultModel
  return {
    id: newId('rev'),
    // The operator of a playground request counts as its user, so that operators do not decide on their own requests.
    userId: authenticate.operatorId ?? identify?.user.id ?? '',
    sessionId: identify?.sessionId || null,
    endpoint: incoming.endpoint,
    point,
    rules: reached,
    classification: decision?.classification ?? 'restricted',
    riskLevel: decision?.risk ?? 'low',
    findings: (point === 'output' ? inspect?.counts : classify?.counts) ?? {},
    requestHash: authorize?.requestHash() ?? Buffer.alloc(32),
    policy: authorize?.policy?.version ?? null,
    model: model !== null && isDeclared(model) ? model : null,
    createdAt: now,
    auditId: admit.auditId,
    lifetimeMs: decision?.holdExpiresInMs,
    requiredApprovals: decision?.approvals,
    keyId: authenticate.keyId || undefined,
    // The issuers of the released request's keys count for its held completion as well.
    keyIssuers: [...new Set([authenticate.keyIssuer ?? [], authorize?.release?.item.keyIssuers ?? []].flat())],
    messageId: incoming.internalCaller instanceof TrustedCaller ? incoming.internalCaller.messageId : undefined,
    content: {
      messages: admit.request.messages,
      parameters: admit.request.parameters,
      ...(identify && {
        asked: {
          user: identify.user,
          ...(identify.readers && { readers: identify.readers }),
          model: admit.request.model,
          stream: admit.request.stream,
          ...(admit.request.maxTokens !== undefined && { maxTokens: admit.request.maxTokens }),
          ...(authenticate.memoryDisabled && { memoryDisabled: authenticate.memoryDisabled }),
        },
      }),
      ...(expectedCost !== undefined && { expectedCost }),
      ...(completion && { completion, provider: invoke?.provider ?? '', vault: authorize?.vault.toJSON() }),
      ...(incoming.early?.sent && { sentCharacters: incoming.early.sent.length }),
    },
  }
}

/** The stored response that a request adds or deletes, in the transaction of its record. */
export type ResponseChange =
  | { readonly kind: 'store'; readonly stored: NewStoredContent }
  | { readonly kind: 'delete'; readonly id: string }

/** Undefined: nothing is stored or deleted. Only what the client receives is stored. */
export function responseChange(
  outcome: Outcome,
  { admit }: RecordedResults,
  trace: StageTrace<StageResults>,
): ResponseChange | undefined {
  if (outcome.kind !== 'answered') return undefined
  const { toStored, storedResponse } = admit.request
  const completion = trace.results.inspect?.completion
  if (toStored && completion) {
    return { kind: 'store', stored: toStored(completion, governanceOf({ auditId: admit.auditId, trace })) }
  }
  return storedResponse?.action === 'delete' ? { kind: 'delete', id: storedResponse.id } : undefined
}

/** Thrown if another request has deleted the response since this one found it: the transaction is rolled back. */
export class AlreadyDeleted extends Error {}

export async function writeResponseChange(
  tx: Tx,
  change: ResponseChange,
  { authenticate, admit, identify = UNIDENTIFIED }: RecordedResults,
  { now, box }: { readonly now: Date; readonly box: SecretBox },
): Promise<void> {
  const owner = responseOwner(authenticate, identify)
  if (change.kind === 'delete') {
    if (!(await deleteStoredResponse(tx, owner, change.id))) throw new AlreadyDeleted('the response is deleted already')
    return
  }
  const { stored } = change
  await storeResponse(tx, owner, { stored, previousId: admit.continuedId, createdAt: now }, box)
}
