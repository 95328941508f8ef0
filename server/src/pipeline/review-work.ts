import type { Db, Tx } from '../db/database.ts'
import { mayHaveWorked } from '../domain/completion.ts'
import type { ErrorCode, ErrorFields } from '../errors.ts'
import { newId } from '../lib/id.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { abandonRelease, completeRelease, loseRelease } from '../review/release-store.ts'
import type { ReleaseResult } from '../review/review.ts'
import { type NewReview, openEscalation, openHold } from '../review/review-store.ts'
import { decisionOf, type Facts, ownerOf, transformsOf } from './facts.ts'
import type { Outcome } from './outcome.ts'
import type { Exchange } from './request.ts'
import type { ReviewDeps } from './resubmission.ts'
import { ENDPOINT_PLANS } from './stages.ts'
import { TrustedCaller } from './trusted-caller.ts'

/** What the record of an exchange has to say of reviews, and what its transaction has to write of them. */
export interface ReviewWork {
  readonly open: 'hold' | 'escalation' | undefined
  readonly point: 'input' | 'output'
  /** How the claimed release ends; undefined: nothing was claimed. */
  readonly release: 'complete' | 'abandon' | undefined
}

/** Undefined for the exchange that has nothing to do with reviews: it costs one commit in a group, and no transaction. */
export function reviewWork(
  { endpoint }: Pick<Exchange, 'endpoint'>,
  outcome: Outcome,
  facts: Partial<Facts>,
): ReviewWork | undefined {
  const { admit, authorize, invoke } = facts
  const first = authorize?.release?.kind === 'first' ? authorize.release : undefined
  const opensHold = outcome.kind === 'held' && outcome.itemId === undefined
  const again = authorize?.release?.kind === 'again'
  const verdict = decisionOf(facts)?.verdict
  // What a capture would have to wait for is set aside, and looked at afterwards.
  const alarms = verdict === 'escalate' || (verdict === 'require_approval' && ENDPOINT_PLANS[endpoint].onRefusal === 'set_aside')
  const escalates = outcome.kind === 'answered' && alarms && !admit?.request.dryRun && !again
  if (!first && !opensHold && !escalates) return undefined
  // Only a request whose provider may have worked is used up: an answer that waited at output is still there.
  const usedUp =
    outcome.kind === 'answered' || opensHold || (first?.item.point === 'input' && invoke?.attempts.some(mayHaveWorked))
  return {
    open: opensHold ? 'hold' : escalates ? 'escalation' : undefined,
    point: outcome.kind === 'held' ? outcome.point : authorize?.decision.verdict === verdict ? 'input' : 'output',
    release: first && (usedUp ? 'complete' : 'abandon'),
  }
}

export interface Ended {
  readonly exchange: Exchange
  readonly facts: Partial<Facts> & Pick<Facts, 'authenticate' | 'admit'>
  readonly error: { readonly code: ErrorCode; readonly fields: ErrorFields } | undefined
  readonly now: Date
}

/** Writes it, in the transaction of the record. Answers the items that changed: the one to name in the answer comes first. */
export async function settleReviews(
  tx: Tx,
  work: ReviewWork,
  ended: Ended,
  box: SecretBox,
): Promise<{ id: string; state: string }[]> {
  const owner = ownerOf(ended.facts.authenticate)
  const changed: { id: string; state: string }[] = []
  if (work.open === 'hold') {
    const { item } = await openHold(tx, owner, newReview(work.point, ended), box)
    changed.push({ id: item.id, state: 'pending' })
  } else if (work.open === 'escalation') {
    const item = await openEscalation(tx, owner, newReview(work.point, ended), box)
    changed.push({ id: item.id, state: 'pending' })
  }
  const release = ended.facts.authorize?.release
  if (release?.kind !== 'first') return changed
  const kept =
    work.release === 'abandon'
      ? await abandonRelease(tx as Db, owner, release.claim)
      : await completeRelease(
          tx,
          owner,
          release.claim,
          { result: resultOf(ended, changed[0]?.id), releasedAuditId: ended.facts.admit.auditId, now: ended.now },
          box,
        )
  if (!kept) throw new Error('the claim on this release was lost')
  const own = { id: release.item.id, state: work.release === 'abandon' ? 'approved' : 'released' }
  return work.open === 'hold' ? [...changed, own] : [own, ...changed]
}

/**
 * Nothing of a release could be recorded: its claim must not keep everybody waiting until its lease runs out. Where the
 * database is gone altogether, that is what happens all the same.
 */
export async function giveUpRelease(
  { authenticate, authorize, invoke }: Partial<Facts>,
  { db, waiters }: Pick<ReviewDeps, 'db' | 'waiters'>,
): Promise<void> {
  if (!authenticate || authorize?.release?.kind !== 'first') return
  const { claim } = authorize.release
  const giveUp = invoke?.attempts.some(mayHaveWorked) ? loseRelease : abandonRelease
  try {
    await giveUp(db, ownerOf(authenticate), claim)
    await waiters.changed(claim.id)
  } catch {
    // The lease is what is left.
  }
}

function resultOf({ facts, error }: Ended, successorId: string | undefined): ReleaseResult {
  const completion = facts.inspect?.completion
  if (error?.code === 'POLICY_REVIEW_PENDING' && successorId !== undefined) return { kind: 'held', successorId }
  if (error || !completion) {
    const { message, details } = error?.fields ?? {}
    return { kind: 'refusal', code: error?.code ?? 'INTERNAL', fields: { message, details } }
  }
  return {
    kind: 'answer',
    completion,
    ...(facts.inspect && { decision: facts.inspect.decision }),
    transforms: transformsOf(facts),
    provider: facts.invoke?.provider ?? '',
  }
}

function newReview(point: 'input' | 'output', { exchange, facts, now }: Ended): NewReview {
  const { authenticate, admit, identify, classify, authorize, invoke, inspect } = facts
  const decision = decisionOf(facts)
  const reached = decision?.rules.filter((rule) => rule.verdict === decision.verdict) ?? []
  const completion = point === 'output' ? invoke?.completion : undefined
  return {
    id: newId('rev'),
    // Who plays somebody else asks for themselves: nobody decides on a request of their own.
    userId: authenticate.playedBy ?? identify?.user.id ?? '',
    sessionId: identify?.sessionId || null,
    endpoint: exchange.endpoint,
    point,
    rules: reached,
    classification: decision?.classification ?? 'restricted',
    riskLevel: decision?.risk ?? 'low',
    findings: (point === 'output' ? inspect?.counts : classify?.counts) ?? {},
    ...(authorize?.requestHashes() ?? { requestHash: Buffer.alloc(32) }),
    policy: authorize?.policy?.version ?? null,
    model: admit.request.model || authenticate.application.defaultModel,
    createdAt: now,
    auditId: admit.auditId,
    lifetimeMs: decision?.holdExpiresInMs,
    keyId: authenticate.keyId || undefined,
    // Who asked for the request that is being released has asked for its answer as well.
    keyIssuers: [...new Set([authenticate.keyIssuer ?? [], authorize?.release?.item.keyIssuers ?? []].flat())],
    messageId: exchange.caller instanceof TrustedCaller ? exchange.caller.messageId : undefined,
    content: {
      messages: admit.request.messages,
      parameters: admit.request.parameters,
      ...(completion && { completion, provider: invoke?.provider ?? '', vault: authorize?.vault.toJSON() }),
    },
  }
}
