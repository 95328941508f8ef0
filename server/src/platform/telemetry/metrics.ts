import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { ProviderAttempt } from '../../shared/completion.ts'
import type { Fault } from '../../shared/fault.ts'
import type { FinishedRequest } from './finished-request.ts'
import { genAiMetrics } from './gen-ai.ts'
import { Counter, Histogram } from './labelled-metrics.ts'

const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const STAGE_BUCKETS = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30]

export class Metrics {
  readonly registry = new Registry()
  readonly #requests = this.#counter('gatehouse_requests_total', 'Requests by endpoint, status and error code.', [
    'endpoint',
    'status',
    'code',
  ])
  readonly #verdicts = this.#counter('gatehouse_verdicts_total', 'Policy verdicts by endpoint.', ['endpoint', 'verdict'])
  readonly #holds = this.#counter('gatehouse_holds_total', 'Holds that were opened.', ['endpoint'])
  readonly #tokens = this.#counter('gatehouse_provider_tokens_total', 'Tokens by provider, model and direction.', [
    'provider',
    'model',
    'direction',
  ])
  readonly #tokenParts = this.#counter(
    'gatehouse_provider_token_parts_total',
    'Parts of gatehouse_provider_tokens_total: cache_read and cache_write of the prompt, reasoning of the completion.',
    ['provider', 'model', 'part'],
  )
  readonly #faults = this.#counter(
    'gatehouse_governance_faults_total',
    'Detectors, transforms and conditions that failed, by kind, name and how. Each failure is a denial.',
    ['kind', 'name', 'how'],
  )
  readonly #refusals = this.#counter('gatehouse_provider_refusals_total', 'Requests that a provider refused, by reason.', [
    'provider',
    'code',
  ])
  readonly #released = this.#counter(
    'gatehouse_released_characters_total',
    'Characters of response texts that were released to clients: windowed before the verdict, validated after it.',
    ['mode'],
  )
  readonly #earlyDenials = this.#counter(
    'gatehouse_early_denials_total',
    'Responses whose provider was stopped because their denial was certain.',
    [],
  )
  readonly #brokenStreams = this.#counter(
    'gatehouse_broken_streams_total',
    'Streams that ended with an error after text had left, by error code.',
    ['code'],
  )
  readonly #overruns = this.#counter(
    'gatehouse_budget_overruns_total',
    'Requests that used more than their budgets had set aside for them.',
    [],
  )
  readonly #request = this.#durations(
    'gatehouse_request_seconds',
    'Time from the first byte of the request to the sealed record.',
    ['endpoint'],
    REQUEST_BUCKETS,
  )
  readonly #stage = this.#durations(
    'gatehouse_stage_seconds',
    'Time of each stage that was not skipped.',
    ['stage'],
    STAGE_BUCKETS,
  )
  readonly #provider = this.#durations(
    'gatehouse_provider_seconds',
    'Time of each provider attempt.',
    ['provider', 'outcome'],
    REQUEST_BUCKETS,
  )

  readonly #detectorSeconds = this.#counter('gatehouse_detector_seconds_total', 'Time that each detector took.', ['detector'])
  readonly #jobRuns = this.#counter('gatehouse_job_runs_total', 'Runs of background jobs, by outcome: ok, failed.', [
    'task',
    'outcome',
  ])
  readonly #jobSuccess = new Gauge({
    name: 'gatehouse_job_last_success_timestamp_seconds',
    help: 'Unix time of the last successful run of each background job.',
    labelNames: ['task'],
    registers: [this.registry],
  })
  readonly #exports = this.#counter('gatehouse_otlp_exports_total', 'Exports to the OpenTelemetry collector, by outcome.', [
    'signal',
    'outcome',
  ])
  readonly call = genAiMetrics(this.registry)

  constructor() {
    // An alert sees the first fault only if the counter existed before.
    this.#faults.inc({ kind: 'transform', name: 'input', how: 'threw' }, 0)
    this.#brokenStreams.inc({ code: 'POLICY_DENIED' }, 0)
    collectDefaultMetrics({ register: this.registry })
  }

  fault({ kind, name, how }: Fault): void {
    this.#faults.inc({ kind, name, how })
  }

  detectorTime(detector: string, ms: number): void {
    this.#detectorSeconds.inc({ detector }, ms / 1_000)
  }

  /** The label is `task`, because Prometheus gives each scraped series a label `job`. */
  jobRun(job: string, succeeded: boolean, now: Date): void {
    this.#jobRuns.inc({ task: job, outcome: succeeded ? 'ok' : 'failed' })
    if (succeeded) this.#jobSuccess.set({ task: job }, now.getTime() / 1_000)
  }

  export(signal: string, succeeded: boolean): void {
    this.#exports.inc({ signal, outcome: succeeded ? 'ok' : 'failed' })
  }

  observe(request: FinishedRequest): void {
    const { endpoint } = request
    this.#requests.inc({ endpoint, status: request.status, code: request.code })
    this.#request.observe({ endpoint }, request.ms / 1_000)
    if (request.verdict) this.#verdicts.inc({ endpoint, verdict: request.verdict })
    if (request.held) this.#holds.inc({ endpoint })
    for (const { name, outcome, ms } of request.stages) {
      if (outcome !== 'skipped') this.#stage.observe({ stage: name }, ms / 1_000)
    }
    for (const attempt of request.attempts) this.#observeAttempt(attempt)
    this.#observeRelease(request)
    if (request.overran) this.#overruns.inc({})
  }

  #observeRelease({ released, deniedEarly, code }: FinishedRequest): void {
    if (deniedEarly) this.#earlyDenials.inc({})
    if (!released) return
    this.#released.inc({ mode: 'windowed' }, released.windowed)
    this.#released.inc({ mode: 'validated' }, released.validated)
    if (released.windowed > 0 && code !== '') this.#brokenStreams.inc({ code })
  }

  #observeAttempt(attempt: ProviderAttempt): void {
    const { provider, model, outcome, code, ms, prompt_tokens: prompt, completion_tokens: completion } = attempt
    this.#provider.observe({ provider, outcome }, ms / 1_000)
    if (code !== undefined) this.#refusals.inc({ provider, code })
    // A part is counted with its whole even if it is 0, so that a share of 0 is not a missing series.
    if (prompt) {
      this.#tokens.inc({ provider, model, direction: 'prompt' }, prompt)
      this.#tokenParts.inc({ provider, model, part: 'cache_read' }, attempt.cache_read_tokens ?? 0)
      this.#tokenParts.inc({ provider, model, part: 'cache_write' }, attempt.cache_write_tokens ?? 0)
    }
    if (completion) {
      this.#tokens.inc({ provider, model, direction: 'completion' }, completion)
      this.#tokenParts.inc({ provider, model, part: 'reasoning' }, attempt.reasoning_tokens ?? 0)
    }
  }

  #counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registry: this.registry })
  }

  #durations<L extends string>(name: string, help: string, labelNames: L[], buckets: number[]): Histogram<L> {
    return new Histogram({ name, help, labelNames, registry: this.registry }, buckets)
  }
}
