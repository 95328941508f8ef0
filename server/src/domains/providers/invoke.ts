import { setTimeout } from 'node:timers/promises'
import type { Unsupported } from '../../dialects/upstream-dialect.ts'
import { elapsed } from '../../platform/lib/clock.ts'
import { runInChildSpan } from '../../platform/lib/trace-context.ts'
import type { ProviderAttempt } from '../../shared/completion.ts'
import type { ProviderPayload } from '../../shared/governance-event.ts'
import type { ProviderCall } from '../../shared/provider-call.ts'
import type { ReportedUsage } from '../../shared/usage.ts'
import {
  type AttemptConditions,
  type AttemptFacts,
  attemptFactsOf,
  CallTimes,
  describeCall,
  endsInvocation,
  faultOf,
  isRetryable,
  outcomeOf,
  type Pricing,
  rankedBehindMs,
  recordAttempt,
  signalOf,
  usageOf,
} from './attempt-outcome.ts'
import type { ConnectionPools } from './connection-pools.ts'
import { FailedAttempts, type InvokeFailure } from './failed-attempts.ts'
import type { Health, NoPermit, Permit } from './health.ts'
import type { AttemptResult, Operation, OperationDeps, PreparedRequest } from './operation.ts'
import { priceOf } from './price.ts'
import type { Provider } from './provider.ts'
import type { Candidate } from './route.ts'
import type { UpstreamFailure } from './send-to-provider.ts'
import { type ProviderLimits, TimeBudget } from './time-budget.ts'

export interface InvokeDeps extends OperationDeps {
  readonly pools: ConnectionPools
  readonly health: Health
  readonly random: () => number
  /** Maximum of the first random pause. It doubles with every retry. */
  readonly backoffMs?: number
  readonly limits?: ProviderLimits
  /** Called when a failure that only an operator can resolve occurs first, or again after a success. */
  readonly onFault?: (fault: { readonly provider: Provider; readonly kind: string; readonly status: number }) => void
  /** Called for each attempt at a provider that needs an operator. */
  readonly onFailing?: (provider: Provider, reason: ProviderPayload['reason']) => void
  readonly onRecovered?: (provider: Provider) => void
  readonly onCall?: (call: ProviderCall) => void
}

export interface InvokeOptions extends AttemptConditions {
  readonly signal?: AbortSignal | undefined
  /** The stub responds instead of the first candidate. No provider gets the request. */
  readonly dryRun?: boolean
  readonly addedMessages?: number
}

export type InvokeResult<Response> = { readonly attempts: readonly ProviderAttempt[] } & (
  | (Candidate & { readonly ok: true; readonly response: Response })
  | ({ readonly ok: false } & InvokeFailure)
)

/** Longest Retry-After that is waited for, without and with another available provider. */
const MAX_WAIT_MS = 10_000
const MAX_WAIT_WITH_FALLBACK_MS = 1_000
const BACKOFF_MS = 250
const MAX_BACKOFF_MS = 2_000
/** How long a request without another provider waits for a place as a probe, and how often it checks. */
const PROBE_WAIT_MS = 5_000
const PROBE_CHECK_MS = 50

/** Sends the request to the candidates in their order, until one returns a valid response. Failures of providers are values. */
export async function invoke<Response extends { readonly usage?: ReportedUsage }>(
  candidates: readonly Candidate[],
  operation: Operation<Response>,
  deps: InvokeDeps,
  options: InvokeOptions = {},
): Promise<InvokeResult<Response>> {
  const invocation = new Invocation(candidates, operation, deps, options)
  const ordered = sortByProbeDue(candidates, deps.health)
  for (const [index, candidate] of ordered.entries()) {
    const result = await invocation.tryCandidate(candidate, ordered.slice(index + 1))
    if (result) return result
  }
  // Every breaker is open, so no provider got the request: probe one after the other before the breakers' time is over.
  const open = invocation.hasSent ? [] : [...invocation.openCandidates]
  for (const [index, candidate] of open.entries()) {
    const result = await invocation.tryCandidate(candidate, open.slice(index + 1), true)
    if (result) return result
  }
  return invocation.failed()
}

/** Sorts the open candidates among themselves, the longest due first: a probe that hangs uses the time of the probes after it. */
function sortByProbeDue(candidates: readonly Candidate[], health: Health): readonly Candidate[] {
  const probeDue = ({ provider }: Candidate) => health.probeDue(provider)
  const open = candidates.filter((candidate) => probeDue(candidate) !== undefined)
  if (open.length < 2) return candidates
  const sorted = open.toSorted((a, b) => (probeDue(a) ?? 0) - (probeDue(b) ?? 0)).values()
  return candidates.map((candidate) => (open.includes(candidate) ? (sorted.next().value ?? candidate) : candidate))
}

interface RetryContext {
  readonly provider: Provider
  readonly retries: number
  readonly attemptMs: number
  readonly next: Provider | undefined
}

class Invocation<Response extends { readonly usage?: ReportedUsage }> {
  readonly #operation: Operation<Response>
  readonly #deps: InvokeDeps
  readonly #options: InvokeOptions
  readonly #budget: TimeBudget
  readonly #attempts: ProviderAttempt[] = []
  readonly #failures = new FailedAttempts()
  #hasEnded = false
  #wasBusy = false
  hasSent = false
  readonly openCandidates = new Set<Candidate>()

  constructor(candidates: readonly Candidate[], operation: Operation<Response>, deps: InvokeDeps, options: InvokeOptions) {
    this.#operation = operation
    this.#deps = deps
    this.#options = options
    this.#budget = new TimeBudget(
      candidates.map(({ provider }) => provider),
      deps.limits,
    )
  }

  failed(): InvokeResult<Response> {
    const waits = [...this.openCandidates].map(({ provider }) => this.#deps.health.retryAfterMs(provider))
    const failure = this.#failures.toFailure({
      openBreakerMs: waits.length === 0 ? undefined : Math.min(...waits),
      wasBusy: this.#wasBusy,
      addedMessages: this.#options.addedMessages ?? 0,
    })
    return { ok: false, ...failure, attempts: this.#attempts }
  }

  /** Returns undefined if the next candidate of `rest` may be tried. `probeEarly`: see Health.acquire. */
  async tryCandidate(
    candidate: Candidate,
    rest: readonly Candidate[],
    probeEarly = false,
  ): Promise<InvokeResult<Response> | undefined> {
    if (this.#hasEnded) return undefined
    const { provider } = candidate
    const { health, pools } = this.#deps
    if (provider.kind === 'stub' || this.#options.dryRun) return this.#stub(candidate)
    const request = this.#operation.prepare(pools.endpoint(provider), candidate.model)
    if (!request.ok) return this.#unsupported(candidate, request.unsupported)
    for (let retries = 0; ; retries++) {
      const startedAt = elapsed()
      if (!this.#budget.isEnough(provider)) return undefined
      const permit = probeEarly && rest.length === 0 ? await this.#awaitPermit(provider) : health.acquire(provider, probeEarly)
      if (permit === 'open' || permit === 'busy') {
        if (permit === 'open') this.openCandidates.add(candidate)
        else this.#wasBusy = true
        this.#addAttempt(candidate, { status: 0, outcome: permit === 'open' ? 'circuit_open' : 'busy', ms: 0 })
        return undefined
      }
      this.openCandidates.delete(candidate)
      const result = await this.#attempt(candidate, request, permit)
      if (result.ok) return this.#succeeded(candidate, result.response)
      this.#failures.add(result)
      this.#hasEnded = endsInvocation(result, this.#options)
      if (this.#hasEnded || retries >= provider.maxRetries || !isRetryable(result)) return undefined
      const next = rest.find((other) => probeEarly || health.status(other.provider).circuit !== 'open')?.provider
      const attemptMs = elapsed() - startedAt
      if (!(await this.#pauseBeforeRetry(result, { provider, retries, attemptMs, next }))) return undefined
    }
  }

  /** Waits for a place as an early probe, at most until another probe fails. */
  async #awaitPermit(provider: Provider): Promise<Permit | NoPermit> {
    const { health } = this.#deps
    const probeDue = health.probeDue(provider)
    const until = Math.min(elapsed() + PROBE_WAIT_MS, this.#budget.deadline)
    for (;;) {
      const permit = health.acquire(provider, true)
      const hasFailed = health.probeDue(provider) !== probeDue
      if (permit !== 'open' || hasFailed || elapsed() >= until) return permit
      if (!(await sleep(PROBE_CHECK_MS, this.#options.signal))) return permit
    }
  }

  #attempt(candidate: Candidate, request: PreparedRequest<Response>, permit: Permit): Promise<AttemptResult<Response>> {
    return runInChildSpan(async (span) => {
      const times = new CallTimes(this.#deps.clock)
      const result = await this.#send(candidate, request, permit, times)
      const attempt = this.#addAttempt(candidate, attemptFactsOf(result, times.ms, this.#pricingOf(candidate)))
      this.#deps.onCall?.(describeCall(candidate, result, times, { operation: this.#operation.name, attempt, span }))
      return result
    })
  }

  async #send({ provider }: Candidate, request: PreparedRequest<Response>, permit: Permit, { onChunk }: CallTimes) {
    const { pools, health } = this.#deps
    this.hasSent = true
    const { isFull, ...limits } = this.#budget.attemptLimits(provider)
    let result: AttemptResult<Response> | undefined
    try {
      const options = { ...limits, signal: this.#options.signal, onChunk }
      result = await request.attempt(pools.endpoint(provider), options, this.#deps)
    } finally {
      const signal = result ? signalOf(result, isFull) : 'unknown'
      health.release(provider, permit, signal, result && !result.ok ? rankedBehindMs(result) : 0)
    }
    this.#reportResult(provider, result)
    return result
  }

  /** Keeps the provider's last error for operators, and reports a new failure that only they can resolve. */
  #reportResult(provider: Provider, result: AttemptResult<Response>): void {
    const { health, clock, onFault, onFailing, onRecovered } = this.#deps
    if (result.ok) {
      health.clearFault(provider)
      onRecovered?.(provider)
      return
    }
    if (result.failure === 'aborted') return
    const fault = faultOf(result)
    if (result.rejection?.kind === 'refused' && fault === undefined) return
    const kind = fault ?? outcomeOf(result)
    const isNewFault = health.setLastError(provider, { kind, at: clock.now(), fault: fault !== undefined })
    if (isNewFault) onFault?.({ provider, kind, status: result.status })
    if (fault !== undefined || health.isDown(provider)) onFailing?.(provider, fault ?? 'unavailable')
  }

  /** Retry-After and a random pause. Returns false if the retry would not be useful or the signal was aborted. */
  async #pauseBeforeRetry(
    { retryAfterMs = 0 }: UpstreamFailure,
    { provider, retries, attemptMs, next }: RetryContext,
  ): Promise<boolean> {
    const { random, backoffMs = BACKOFF_MS } = this.#deps
    const pauseMs = retryAfterMs + random() * Math.min(backoffMs * 2 ** retries, MAX_BACKOFF_MS)
    const leftMs = this.#budget.leftMs - pauseMs
    if (retryAfterMs > (next ? MAX_WAIT_WITH_FALLBACK_MS : MAX_WAIT_MS) || !this.#budget.isEnough(provider, leftMs)) return false
    // A retry that fails as slowly must leave the next provider its time.
    if (next && leftMs - this.#budget.patienceMs(next) < attemptMs) return false
    this.#hasEnded = !(await sleep(pauseMs, this.#options.signal))
    return !this.#hasEnded
  }

  /** The request is not sent to this provider. Another one may accept the field. */
  #unsupported(candidate: Candidate, unsupported: Unsupported): undefined {
    this.#addAttempt(candidate, { status: 0, outcome: 'unsupported', ms: 0, code: unsupported.code })
    this.#failures.add({ ok: false, failure: 'unsupported', status: 0, rejection: { kind: 'unsupported', ...unsupported } })
  }

  #stub(candidate: Candidate): InvokeResult<Response> {
    const created = Math.floor(this.#deps.clock.now().getTime() / 1_000)
    const response = this.#operation.stub({ newId: this.#deps.newId, created })
    const usage = this.#options.dryRun ? {} : usageOf(response, this.#pricingOf(candidate))
    this.#addAttempt(candidate, { status: 200, outcome: 'stubbed', ms: 0, ...usage })
    return this.#succeeded(candidate, response)
  }

  #pricingOf({ provider, model }: Candidate): Pricing {
    return { price: priceOf(provider, model, this.#deps.clock.now()), tier: this.#operation.tier }
  }

  #succeeded(candidate: Candidate, response: Response): InvokeResult<Response> {
    return { ok: true, response, ...candidate, attempts: this.#attempts }
  }

  #addAttempt(candidate: Candidate, facts: AttemptFacts): ProviderAttempt {
    const attempt = recordAttempt(candidate, facts)
    this.#attempts.push(attempt)
    return attempt
  }
}

const sleep = (ms: number, signal: AbortSignal | undefined): Promise<boolean> =>
  setTimeout(ms, true, signal && { signal }).catch(() => false)
