import { setTimeout } from 'node:timers/promises'
import type { Completion, ProviderAttempt } from '../domain/completion.ts'
import { elapsed } from '../lib/clock.ts'
import { endsRun, faultOf, isWorthRepeating, limitedMs, mayHaveWorked, outcomeOf, signalOf, spentOn } from './attempt-outcome.ts'
import type { ConnectionPools } from './connection-pools.ts'
import { Failures, type InvokeFailure } from './failed-attempts.ts'
import type { Health, Permit } from './health.ts'
import {
  type AdapterDeps,
  type ProviderRequest,
  requestBody,
  requestCompletion,
  type UpstreamFailure,
  type UpstreamResult,
} from './openai-adapter.ts'
import type { Provider, ProviderModel } from './provider.ts'
import type { Candidate } from './route.ts'
import { stubCompletion } from './stub.ts'

export interface InvokeDeps extends AdapterDeps {
  readonly pools: ConnectionPools
  readonly health: Health
  /** From 0 up to but not including 1. */
  readonly random: () => number
  /** Ceiling of the first jittered pause, milliseconds; doubles with every retry. */
  readonly backoffMs?: number
  readonly limits?: ProviderLimits
  /** Called when a provider's fault that only an operator can end is seen for the first time, or again after it had ended. */
  readonly onFault?: (fault: { readonly provider: Provider; readonly kind: string; readonly status: number }) => void
}

/** Settings for all providers, milliseconds. */
export interface ProviderLimits {
  /** All attempts of one request together. */
  readonly totalMs: number
  /** Without a byte from a provider, where the provider has no limit of its own. */
  readonly idleMs: number
}

const PROVIDER_LIMITS: ProviderLimits = { totalMs: 600_000, idleMs: 60_000 }

export interface InvokeOptions {
  readonly signal?: AbortSignal | undefined
  /** The stub answers in the first candidate's place; nobody is called. */
  readonly dryRun?: boolean
  /**
   * Never ask again once a provider may have begun to work (release of a held request, GW-REV-13): only attempts that
   * surely did nothing, as a refused connection or a 429, are followed by another.
   */
  readonly atMostOnce?: boolean
  /** How many of the request's messages are the gateway's own; they stand first. */
  readonly ownMessages?: number
}

export type InvokeResult =
  | {
      readonly ok: true
      readonly completion: Completion
      readonly provider: Provider
      readonly model: ProviderModel
      readonly attempts: readonly ProviderAttempt[]
    }
  | ({ readonly ok: false; readonly attempts: readonly ProviderAttempt[] } & InvokeFailure)

/** Longest wait that a Retry-After may ask for, and the longest while another provider stands ready. */
const MAX_WAIT_MS = 10_000
const MAX_WAIT_WITH_FALLBACK_MS = 1_000
const BACKOFF_MS = 250
const MAX_BACKOFF_MS = 2_000
/** All attempts together take at most this many times the longest timeout among the candidates, and never more than the setting. */
const BUDGET_FACTOR = 2
/** With less than this share of its patience left, a provider is not asked: it would get the content and no time to answer. */
const USEFUL_SHARE = 0.1
/** A provider that had this share of its patience had its time: of two hangs, the second's is short by what lies between them. */
const WHOLE_SHARE = 0.9
/** A caller with nobody else to ask waits so long for others' probes, and looks so often; longer waits are for the caller to repeat. */
const PROBE_WAIT_MS = 5_000
const PROBE_LOOK_MS = 50

/** Asks the candidates in their order, each as often as it allows, until one answers. Never throws for what a provider does. */
export async function invoke(
  candidates: readonly Candidate[],
  request: ProviderRequest,
  deps: InvokeDeps,
  options: InvokeOptions = {},
): Promise<InvokeResult> {
  const run = new Run(request, deps, options, budgetOf(candidates, deps.limits ?? PROVIDER_LIMITS))
  const ordered = longestDueFirst(candidates, deps.health)
  for (const [index, candidate] of ordered.entries()) {
    const result = await run.ask(candidate, { insist: false, rest: ordered.slice(index + 1) })
    if (result) return result
  }
  // Nobody could be asked because breakers are open: they get probes before their time, one after the other while there is time.
  const broken = run.asked ? [] : [...run.turnedAway]
  for (const [index, candidate] of broken.entries()) {
    const result = await run.ask(candidate, { insist: true, rest: broken.slice(index + 1) })
    if (result) return result
  }
  return run.failed()
}

/**
 * Candidates whose breakers are open change places among themselves, the longest due first: a probe that hangs uses up the time
 * of those after it, and now goes behind them, so that each has its turn.
 */
function longestDueFirst(candidates: readonly Candidate[], health: Health): readonly Candidate[] {
  const due = ({ provider }: Candidate) => health.probeDue(provider)
  const broken = candidates.filter((candidate) => due(candidate) !== undefined)
  if (broken.length < 2) return candidates
  const sorted = broken.toSorted((a, b) => (due(a) ?? 0) - (due(b) ?? 0)).values()
  return candidates.map((candidate) => (broken.includes(candidate) ? (sorted.next().value ?? candidate) : candidate))
}

const budgetOf = (candidates: readonly Candidate[], { totalMs }: ProviderLimits): number =>
  Math.min(totalMs, BUDGET_FACTOR * Math.max(0, ...candidates.map(({ provider }) => provider.timeoutMs)))

/** The attempts for one request: what has been tried, how much time is left. */
class Run {
  readonly #request: ProviderRequest
  readonly #deps: InvokeDeps
  readonly #options: InvokeOptions
  readonly #deadline: number
  readonly #attempts: ProviderAttempt[] = []
  /** Candidates whose breaker was open. */
  readonly turnedAway = new Set<Candidate>()
  readonly #failures = new Failures()
  #over = false

  constructor(request: ProviderRequest, deps: InvokeDeps, options: InvokeOptions, budgetMs: number) {
    this.#request = request
    this.#deps = deps
    this.#options = options
    this.#deadline = elapsed() + budgetMs
  }

  get asked(): boolean {
    return this.#failures.any
  }

  failed(): InvokeResult {
    const { health } = this.#deps
    const waits = [...this.turnedAway].map(({ provider }) => health.retryAfterMs(provider))
    const brokenMs = waits.length === 0 ? undefined : Math.min(...waits)
    const answer = this.#failures.answer({ brokenMs, before: this.#options.ownMessages ?? 0 })
    return { ok: false, ...answer, attempts: this.#attempts }
  }

  /** Asks one candidate until it answers or there is no sense in asking it again; undefined: go on with the next. */
  async ask(
    candidate: Candidate,
    { insist, rest }: { insist: boolean; rest: readonly Candidate[] },
  ): Promise<InvokeResult | undefined> {
    if (this.#over) return undefined
    const { provider } = candidate
    const { health } = this.#deps
    if (provider.kind === 'stub' || this.#options.dryRun) return this.#stub(candidate)
    const body = requestBody(this.#request, candidate.model)
    for (let retry = 0; ; retry++) {
      const startedAt = elapsed()
      if (!this.#isEnough(provider, this.#deadline - startedAt)) return undefined
      const permit = await this.#permit(provider, insist, rest.length === 0)
      if (permit === 'open' || permit === 'busy') {
        if (permit === 'open') this.turnedAway.add(candidate)
        this.#note(candidate, { status: 0, outcome: permit === 'open' ? 'circuit_open' : 'busy', ms: 0 })
        return undefined
      }
      this.turnedAway.delete(candidate)
      const result = await this.#call(candidate, body, permit)
      if (result.ok) return this.#answered(candidate, result.completion)
      this.#failures.add(result)
      this.#over = endsRun(result) || (this.#options.atMostOnce === true && mayHaveWorked(result))
      if (this.#over || retry >= provider.maxRetries || !isWorthRepeating(result)) return undefined
      const next = rest.find((other) => insist || health.status(other.provider).circuit !== 'open')
      if (!(await this.#pause(result, { provider, retry, took: elapsed() - startedAt, next: next?.provider }))) return undefined
    }
  }

  /** A place at the provider. Who insists and has nobody else to ask waits while others' probes are under way, within bounds. */
  async #permit(provider: Provider, insist: boolean, isLast: boolean): Promise<Permit | 'open' | 'busy'> {
    const { health } = this.#deps
    const due = health.probeDue(provider)
    const until = Math.min(elapsed() + PROBE_WAIT_MS, this.#deadline)
    for (;;) {
      const permit = health.acquire(provider, insist)
      if (permit !== 'open' || !insist || !isLast) return permit
      // A probe has failed meanwhile: the provider is still broken.
      if (health.probeDue(provider) !== due || elapsed() >= until) return permit
      if (!(await sleep(PROBE_LOOK_MS, this.#options.signal))) return permit
    }
  }

  async #call(candidate: Candidate, body: string, permit: Permit): Promise<UpstreamResult> {
    const { provider } = candidate
    const { pools, health } = this.#deps
    const startedAt = elapsed()
    const timeoutMs = Math.max(1, Math.min(provider.timeoutMs, this.#deadline - startedAt))
    const hadItsTime = timeoutMs >= this.#patienceMs(provider) * WHOLE_SHARE
    let result: UpstreamResult | undefined
    try {
      const limits = { timeoutMs, idleMs: this.#patienceMs(provider), signal: this.#options.signal }
      result = await requestCompletion(pools.endpoint(provider), body, this.#request.model, limits, this.#deps)
    } finally {
      const verdict = result ? signalOf(result, hadItsTime) : 'unknown'
      health.release(provider, permit, verdict, result && !result.ok ? limitedMs(result) : 0)
    }
    this.#report(provider, result)
    const outcome = result.ok ? 'ok' : outcomeOf(result)
    const code = !result.ok && result.rejection?.kind === 'refused' ? { code: result.rejection.code } : {}
    const spent = result.ok ? spentOn(result.completion, candidate.model) : {}
    this.#note(candidate, { status: result.status, outcome, ms: elapsed() - startedAt, ...code, ...spent })
    return result
  }

  /** For operators: what the provider's last error was, and at once what only they can end. */
  #report(provider: Provider, result: UpstreamResult): void {
    const { health, clock, onFault } = this.#deps
    if (result.ok) return void health.note(provider, undefined)
    if (result.failure === 'aborted') return
    const fault = faultOf(result)
    // A refusal of the request says nothing of the provider.
    if (result.rejection?.kind === 'refused' && fault === undefined) return
    const kind = fault ?? outcomeOf(result)
    if (health.note(provider, { kind, at: clock.now(), fault: fault !== undefined }))
      onFault?.({ provider, kind, status: result.status })
  }

  /** How long a provider may keep silent: what is needed of the time that is left. */
  #patienceMs({ idleTimeoutMs, timeoutMs }: Provider): number {
    return Math.min(idleTimeoutMs ?? (this.#deps.limits ?? PROVIDER_LIMITS).idleMs, timeoutMs)
  }

  #isEnough(provider: Provider, ms: number): boolean {
    return ms >= this.#patienceMs(provider) * USEFUL_SHARE
  }

  /** Waits before the next try with full jitter, at least as long as the provider asked for; false when that is not worth it. */
  async #pause(
    { retryAfterMs = 0 }: UpstreamFailure,
    { provider, retry, took, next }: { provider: Provider; retry: number; took: number; next: Provider | undefined },
  ): Promise<boolean> {
    const { random, backoffMs = BACKOFF_MS } = this.#deps
    const wait = retryAfterMs + random() * Math.min(backoffMs * 2 ** retry, MAX_BACKOFF_MS)
    const left = this.#deadline - elapsed() - wait
    if (retryAfterMs > (next ? MAX_WAIT_WITH_FALLBACK_MS : MAX_WAIT_MS) || !this.#isEnough(provider, left)) return false
    // The same again must leave the next provider its time: a slow failure would otherwise be repeated in place of an answer.
    if (next && left - this.#patienceMs(next) < took) return false
    this.#over = !(await sleep(wait, this.#options.signal))
    return !this.#over
  }

  #stub(candidate: Candidate): InvokeResult {
    const created = Math.floor(this.#deps.clock.now().getTime() / 1_000)
    const completion = stubCompletion(this.#request, { newId: this.#deps.newId, created })
    // A dry run spends nothing.
    const spent = this.#options.dryRun ? {} : spentOn(completion, candidate.model)
    this.#note(candidate, { status: 200, outcome: 'stubbed', ms: 0, ...spent })
    return this.#answered(candidate, completion)
  }

  #answered({ provider, model }: Candidate, completion: Completion): InvokeResult {
    return { ok: true, completion, provider, model, attempts: this.#attempts }
  }

  /** Keys in the order of RFC 8785, as all of a record's (pipeline/record-draft.ts). */
  #note({ provider, model }: Candidate, attempt: Omit<ProviderAttempt, 'provider' | 'model'>): void {
    const { code, completion_tokens, cost, ms, outcome, prompt_tokens, status } = attempt
    this.#attempts.push({
      ...(code !== undefined && { code }),
      ...(completion_tokens !== undefined && { completion_tokens }),
      ...(cost !== undefined && { cost }),
      model: model.id,
      ms,
      outcome,
      ...(prompt_tokens !== undefined && { prompt_tokens }),
      provider: provider.id,
      status,
    })
  }
}

/** False when the signal ended it. */
const sleep = (ms: number, signal: AbortSignal | undefined): Promise<boolean> =>
  setTimeout(ms, true, signal && { signal }).catch(() => false)
