import { settlementOf } from '../domains/budgets/ledger.ts'
import type { StoredMemory } from '../domains/memory/capture.ts'
import { ERRORS, GatehouseError } from '../errors.ts'
import { isUnavailable } from '../platform/lib/unavailable.ts'
import type { FinishedRequest } from '../platform/telemetry/finished-request.ts'
import type { Usage } from '../shared/completion.ts'
import { collectTexts } from '../shared/message.ts'
import type { Outcome } from '../shared/outcome.ts'
import type { Refusal } from '../shared/refusal.ts'
import { estimateTokens } from '../shared/tokens.ts'
import { NO_USAGE, sumOf } from '../shared/usage.ts'
import { chargeOf } from './charge.ts'
import type { IncomingRequest } from './request.ts'
import { decisionOf, type StageResults } from './stage-results.ts'
import type { StageTrace } from './stage-trace.ts'

export type Failure = Pick<Refusal, 'code' | 'fields'>

/** The result of a run, from which the endpoint's response is made. It agrees with the record. */
export interface PipelineResult {
  readonly status: number
  readonly trace: StageTrace<StageResults>
  /** Absent when stage 1 or 2 refused: such a request has no record. */
  readonly auditId: string | undefined
  readonly error: Failure | undefined
  /** The completion or the embeddings as JSON, the text that was hashed; undefined for endpoints and outcomes without one. */
  readonly completionJson: string | undefined
  readonly held: { readonly itemId: string } | undefined
  readonly remembered: readonly StoredMemory[]
  readonly cause?: unknown
}

export function failureOf(outcome: Outcome): Failure | undefined {
  if (outcome.kind === 'answered') return undefined
  if (outcome.kind === 'refused') return outcome
  if (outcome.kind === 'held') return { code: 'POLICY_REVIEW_PENDING', fields: fieldsOfHold(outcome) }
  const { cause } = outcome
  if (cause instanceof GatehouseError) return { code: cause.code, fields: cause.fields }
  return { code: isUnavailable(cause) ? 'UNAVAILABLE' : 'INTERNAL', fields: {} }
}

function fieldsOfHold({ itemId, expiresAt, question }: Extract<Outcome, { kind: 'held' }>): Failure['fields'] {
  if (itemId === undefined) return {}
  const fields = { reviewItemId: itemId, ...(expiresAt && { expiresAt }) }
  if (question === undefined) return fields
  return { ...fields, message: `A reviewer asks before the decision: ${question}`, details: { question } }
}

export const statusOf = (error: Failure | undefined) => ({ status: error ? ERRORS[error.code].status : 200, error })

/**
 * Tokens that a request used of its token limit: 0 if no provider was called, an estimate if the provider did not count. Undefined, the
 * estimate of stage 2, for a held request that waits: the run after the decision is not charged again.
 */
export function spentTokens({ admit, route, invoke, remember }: Partial<StageResults>, outcome: Outcome): number | undefined {
  if (admit?.request.dryRun) return 0
  if (!invoke || invoke.attempts.length === 0) {
    const waits = outcome.kind === 'held' && admit && admit.request.waitSeconds > 0 && admit.request.reviewItemId === undefined
    return waits ? undefined : 0
  }
  const { completion, embeddings, denial } = invoke
  if (embeddings) return embeddings.usage?.total_tokens || route?.tokens()
  if (denial) return (route?.tokens() ?? 0) + denial.tokens
  if (!completion) return undefined
  const extraction = remember?.attempts ?? []
  const extractionTokens = sumOf(extraction, 'prompt_tokens') + sumOf(extraction, 'completion_tokens')
  const completionTokens =
    countedTokens(completion.usage) ??
    (route?.tokens() ?? 0) + estimateTokens(collectTexts(completion.choices.map(({ message }) => message)))
  return completionTokens + extractionTokens
}

/** The tokens that the provider counts; undefined if it counts none. A total below its parts would let the limit be exceeded. */
function countedTokens({ prompt_tokens, completion_tokens, total_tokens }: Usage = NO_USAGE): number | undefined {
  return Math.max(total_tokens, prompt_tokens + completion_tokens) || undefined
}

export function finishedRequest(incoming: IncomingRequest, result: PipelineResult, now: Date): FinishedRequest {
  const { endpoint, requestId } = incoming
  const { trace, auditId, status, error, held, cause } = result
  const { invoke, route, remember } = trace.results
  return {
    endpoint,
    requestId,
    auditId,
    status,
    code: error?.code ?? '',
    verdict: decisionOf(trace.results)?.verdict ?? '',
    // Only a model that a provider offers becomes a label: another name would be the client's free text.
    model: route?.candidates[0]?.model.id ?? '',
    provider: invoke?.provider ?? '',
    held: held !== undefined,
    ms: trace.ms,
    stages: trace.notes,
    attempts: [...(invoke?.attempts ?? []), ...(remember?.attempts ?? [])],
    released: releasedText(incoming, result),
    deniedEarly: invoke?.denial !== undefined,
    overran: hasOverrun(trace.results, now),
    startedAt: now.getTime() - trace.ms,
    cause,
  }
}

function hasOverrun(results: Partial<StageResults>, now: Date): boolean {
  const { reservation } = results
  if (!reservation) return false
  const { entries } = settlementOf(reservation, chargeOf(results, reservation, now))
  return entries.some(({ amount, spent }) => spent > amount)
}

function releasedText({ endpoint, early }: IncomingRequest, { error, trace }: PipelineResult): FinishedRequest['released'] {
  if (endpoint !== 'chat') return undefined
  const windowed = early?.sent.length ?? 0
  const choices = error ? [] : (trace.results.inspect?.completion?.choices ?? [])
  const texts = choices.map(({ message: { content } }) => (typeof content === 'string' ? content.length : 0))
  const characters = texts.reduce((sum, length) => sum + length, 0)
  return { windowed, validated: Math.max(0, characters - windowed) }
}
