import type { Detector } from '../domains/classification/detector.ts'
import { type GrowingScan, isBounded, scanGrowing, settlingWindowOf, windowOf } from '../domains/classification/growing-scan.ts'
import { assess } from '../domains/classification/risk.ts'
import { evaluate } from '../domains/policy/evaluate.ts'
import type { TextWatch } from '../domains/providers/chat-operation.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { CompletionHead } from '../shared/completion.ts'
import type { FindingName } from '../shared/finding.ts'
import { mayBeJson } from '../shared/json-text.ts'
import { MIN_RELEASE_WINDOW } from '../shared/principal.ts'
import { estimateTokens } from '../shared/tokens.ts'
import type { GovernDeps } from './govern.ts'
import type { EarlyText } from './request.ts'
import { type Authorized, type EarlyDenial, policyInputOf, type RequestContext } from './stage-results.ts'

/** Longer texts are judged when they are complete: the scans of a beginning would block other requests. */
const MAX_CHARACTERS = 262_144
/** A scan reads all text so far. The next one waits until the text has grown by this part, so that all scans take linear time. */
const GROWTH_OF_FLOW = 1 / 16
const GROWTH_OF_WATCH = 1

type Deps = Pick<GovernDeps, 'detectors' | 'detectorBudgetMs' | 'reportFault'> & {
  readonly clock: Clock
  /** Aborted when the server stops: the request has failed then, so no more text leaves. */
  readonly aborting: AbortSignal
}

interface Flow {
  readonly early: EarlyText
  /** Characters to hold back at least. */
  readonly window: number
}

/** Undefined: the beginning can change nothing. Text flows only if the output rules can judge it (GW-WIN-2). */
export function watchResponse(
  context: RequestContext,
  authorized: Authorized,
  head: () => CompletionHead,
  deps: Deps,
): ResponseWatch | undefined {
  const { request } = context.admitted
  if (request.dryRun || authorized.release) return undefined
  const flow = flowOf(context, authorized)
  const hasDenials = (authorized.policy?.growingOutput.earlyDenials.length ?? 0) > 0
  return flow || hasDenials ? new ResponseWatch({ context, authorized, head, flow }, deps) : undefined
}

function flowOf(
  { incoming: { early }, caller, admitted: { request } }: RequestContext,
  { policy }: Authorized,
): Flow | undefined {
  const { release, release_window: window } = caller.application.settings
  const isPossible = release === 'windowed' && request.stream && (request.parameters.n ?? 1) === 1
  if (!isPossible || !early || policy?.growingOutput.needsWhole !== undefined) return undefined
  return { early, window: window > MIN_RELEASE_WINDOW ? window : 0 }
}

interface Watched {
  readonly context: RequestContext
  readonly authorized: Authorized
  readonly head: () => CompletionHead
  readonly flow: Flow | undefined
}

export class ResponseWatch implements TextWatch {
  readonly #watched: Watched
  readonly #deps: Deps
  /** The findings that the rules read, and the detectors, if there are any. */
  readonly #reads: readonly FindingName[]
  readonly #detectors: readonly Detector[]
  readonly #window: number
  readonly #cancel = new AbortController()
  #flow: Flow | undefined
  /** The beginning of the response, if text was sent. */
  head: CompletionHead | undefined
  denial: EarlyDenial | undefined
  /** The beginning of the text that may leave as soon as the client is ready; undefined: nothing waits. */
  #waiting: string | undefined
  #isOver = false
  #length = 0
  #nextScanAt = 0

  constructor(watched: Watched, deps: Deps) {
    this.#watched = watched
    this.#deps = deps
    this.#flow = watched.flow
    const { reads = [], earlyDenials = [] } = watched.authorized.policy?.growingOutput ?? {}
    this.#reads = watched.flow ? reads : earlyDenials.flatMap(({ growth }) => growth.reads)
    this.#detectors = this.#reads.length > 0 ? deps.detectors.filter(isBounded) : []
    this.#window = watched.flow
      ? Math.max(windowOf({ detectors: this.#detectors, reads: this.#reads }), watched.flow.window)
      : // Only findings that stay deny early.
        settlingWindowOf(this.#detectors)
  }

  grown(text: string | undefined): void {
    if (text === undefined || text.length > MAX_CHARACTERS) this.#isOver = true
    if (this.#isOver || text === undefined) return
    // Another attempt.
    if (text.length < this.#length) this.#nextScanAt = 0
    this.#length = text.length
    if (text.length < Math.max(this.#nextScanAt, this.#window)) return
    this.#nextScanAt = text.length + this.#step(text.length)
    try {
      const { vault } = this.#watched.authorized
      const settled = vault.settled(text)
      const restored = vault.restore(settled)
      // In a complete JSON document the restored values are escaped.
      if (restored !== settled && mayBeJson(text)) this.#flow = this.#waiting = undefined
      this.#judge(restored)
    } catch (error) {
      this.close()
      this.#deps.reportFault({ kind: 'detector', name: 'response-watch', how: 'threw', error })
    }
  }

  /** Aborted when the denial of the response is certain, or with `closed`. `AbortSignal.any` would take ten times as long. */
  cancelledWith(closed: AbortSignal): AbortSignal {
    closed.addEventListener('abort', () => this.#cancel.abort(closed.reason))
    return this.#cancel.signal
  }

  /** Call it when the response is complete or has failed. Its text no longer leaves before the verdict. */
  close(): void {
    this.#isOver = true
    this.#waiting = undefined
  }

  #step(length: number): number {
    const part = Math.floor(length * (this.#flow ? GROWTH_OF_FLOW : GROWTH_OF_WATCH))
    return Math.max(Math.floor(this.#window / 2), part)
  }

  #judge(text: string): void {
    const seen = this.#scan(text)
    const isAllowed = !seen.failed && this.#decide(seen, text)
    if (!isAllowed) this.#flow = this.#waiting = undefined
    if (this.#flow) this.#release(text, seen, this.#flow)
    this.#isOver = seen.failed || this.denial !== undefined || (!this.#flow && this.#earlyDenials.length === 0)
  }

  get #earlyDenials() {
    return this.#watched.authorized.policy?.growingOutput.earlyDenials ?? []
  }

  #scan(text: string): GrowingScan {
    const detectors = this.#detectors
    const readsEncoded = detectors.length > 0 || this.#watched.authorized.vault.size > 0
    const { detectorBudgetMs: budgetMs } = this.#deps
    return scanGrowing(text, { detectors, budgetMs, window: this.#window, reads: this.#reads, readsEncoded })
  }

  /** Whether the rules allow the text so far. Without a flow only the rules that deny early are evaluated. */
  #decide({ counts }: GrowingScan, text: string): boolean {
    const { context, authorized } = this.#watched
    const { default_classification: classification } = context.caller.application.settings
    const level = assess(counts, { classification, risk: 'low' })
    const { policy } = authorized
    const rules = policy && (this.#flow ? policy : { ...policy, rules: { ...policy.rules, output: this.#earlyDenials } })
    const content = { text: '', findings: counts, classification: level.classification, riskLevel: level.risk }
    const input = policyInputOf(context, this.#deps.clock.now())
    const decision = evaluate(rules, 'output', { ...input, content })
    const isCertain = decision.rules.some(({ id, error }) => !error && this.#earlyDenials.some((rule) => rule.id === id))
    if (isCertain) {
      this.denial = { decision, counts, ...level, tokens: estimateTokens([text]) }
      this.#cancel.abort(new Error('The response will be denied.'))
    }
    return decision.verdict === 'allow'
  }

  #release(text: string, { clearEnd, isBlocked }: GrowingScan, { early }: Flow): void {
    const continues = text.startsWith(early.sent)
    if (continues) this.#send(text.slice(0, clearEnd), early)
    if (isBlocked || !continues) this.#flow = undefined
  }

  /** `clear`: the beginning of the text that may leave. The provider may pause, so a client that is not ready gets it when it is. */
  #send(clear: string, early: EarlyText): void {
    if (clear.length <= early.sent.length || this.#deps.aborting.aborted) return
    const { caller, admitted } = this.#watched.context
    const completion = this.head ?? this.#watched.head()
    const isSent = early.send(clear.slice(early.sent.length), { completion, application: caller.application, admitted })
    if (isSent) this.head = completion
    else if (this.#waiting === undefined) early.whenReady(() => this.#sendWaiting(early))
    this.#waiting = isSent ? undefined : clear
  }

  #sendWaiting(early: EarlyText): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting !== undefined) this.#send(waiting, early)
  }
}
