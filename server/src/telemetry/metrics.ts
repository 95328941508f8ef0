import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ProviderAttempt } from '../domain/completion.ts'
import type { Fault } from '../domain/fault.ts'

/** What an exchange leaves for the counters: names and numbers only, never content, keys or tokens. */
export interface RequestMetrics {
  readonly endpoint: string
  readonly status: number
  readonly code: string
  readonly verdict: string
  readonly seconds: number
  readonly stages: readonly { readonly name: string; readonly outcome: string; readonly ms: number }[]
  readonly attempts: readonly ProviderAttempt[]
  readonly held: boolean
}

interface Delivery {
  readonly place: string
  readonly failures: number
  readonly waiting: number
  readonly lagSeconds: number
}

/** Read when somebody scrapes, so that nothing has to keep them up to date. */
export interface Readings {
  readonly auditWaiting: () => number
  readonly auditLagSeconds: () => number
  /** Workspaces whose audit log was tampered with, by what is wrong with it. */
  readonly auditTampered: () => readonly { readonly workspace: string; readonly reason: string }[]
  /** Of each place outside that gets audit checkpoints. */
  readonly checkpointDeliveries: () => readonly Delivery[]
  readonly waitingForReview: () => number
  readonly lexicalFallbacks: () => number
}

const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const STAGE_BUCKETS = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30]

/** The metrics of one server, in a registry of its own. */
export class Metrics {
  readonly registry = new Registry()
  readonly #requests = this.#counter('gatehouse_requests_total', 'Exchanges by endpoint, status and error code.', [
    'endpoint',
    'status',
    'code',
  ])
  readonly #verdicts = this.#counter('gatehouse_verdicts_total', 'Policy verdicts by endpoint.', ['endpoint', 'verdict'])
  readonly #holds = this.#counter('gatehouse_holds_total', 'Answers that said: a person has to approve this first.', ['endpoint'])
  readonly #tokens = this.#counter('gatehouse_provider_tokens_total', 'Tokens by provider, model and direction.', [
    'provider',
    'model',
    'direction',
  ])
  readonly #faults = this.#counter(
    'gatehouse_governance_faults_total',
    'Detectors and transforms that broke down and conditions that failed, by kind, name and how. Each counted as a denial.',
    ['kind', 'name', 'how'],
  )
  readonly #refusals = this.#counter('gatehouse_provider_refusals_total', 'Requests that a provider refused, by why.', [
    'provider',
    'code',
  ])
  readonly #request = this.#durations(
    'gatehouse_request_seconds',
    'Time from the first byte read to the record sealed.',
    ['endpoint'],
    REQUEST_BUCKETS,
  )
  readonly #stage = this.#durations('gatehouse_stage_seconds', 'Time of each stage that worked.', ['stage'], STAGE_BUCKETS)
  readonly #provider = this.#durations(
    'gatehouse_provider_seconds',
    'Time of each provider attempt.',
    ['provider', 'outcome'],
    REQUEST_BUCKETS,
  )

  constructor(readings: Readings) {
    // At 0 from the start, so that an alert sees the first one rise.
    this.#faults.inc({ kind: 'transform', name: 'input', how: 'threw' }, 0)
    collectDefaultMetrics({ register: this.registry })
    this.#gauge('gatehouse_audit_waiting', 'Records waiting for their commit.', readings.auditWaiting)
    this.#gauge('gatehouse_audit_lag_seconds', 'Age of the oldest record waiting for its commit.', readings.auditLagSeconds)
    this.#alarms(readings.auditTampered)
    const delivery = (name: string, help: string, read: (one: Delivery) => number) =>
      this.#byPlace(`gatehouse_audit_delivery_${name}`, help, readings.checkpointDeliveries, read)
    delivery('failures', 'Failed attempts since the start to write an audit checkpoint outside.', ({ failures }) => failures)
    delivery('waiting', 'Audit checkpoints that a place outside does not have yet.', ({ waiting }) => waiting)
    delivery('lag_seconds', 'Age of the oldest audit checkpoint that waits for a place outside.', ({ lagSeconds }) => lagSeconds)
    this.#gauge('gatehouse_waiting_for_review', 'Callers that wait for a reviewer right now.', readings.waitingForReview)
    this.#gauge(
      'gatehouse_search_fallbacks',
      'Searches since the start that went by words alone because the embedder did not answer.',
      readings.lexicalFallbacks,
    )
  }

  fault({ kind, name, how }: Fault): void {
    this.#faults.inc({ kind, name, how })
  }

  observe(figures: RequestMetrics): void {
    const { endpoint } = figures
    this.#requests.inc({ endpoint, status: figures.status, code: figures.code })
    this.#request.observe({ endpoint }, figures.seconds)
    if (figures.verdict) this.#verdicts.inc({ endpoint, verdict: figures.verdict })
    if (figures.held) this.#holds.inc({ endpoint })
    for (const { name, outcome, ms } of figures.stages) {
      if (outcome !== 'skipped') this.#stage.observe({ stage: name }, ms / 1_000)
    }
    for (const attempt of figures.attempts) this.#observeAttempt(attempt)
  }

  #observeAttempt({
    provider,
    model,
    outcome,
    code,
    ms,
    prompt_tokens: prompt,
    completion_tokens: completion,
  }: ProviderAttempt): void {
    this.#provider.observe({ provider, outcome }, ms / 1_000)
    if (code !== undefined) this.#refusals.inc({ provider, code })
    if (prompt) this.#tokens.inc({ provider, model, direction: 'prompt' }, prompt)
    if (completion) this.#tokens.inc({ provider, model, direction: 'completion' }, completion)
  }

  #counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  #durations<L extends string>(name: string, help: string, labelNames: L[], buckets: number[]): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] })
  }

  #alarms(read: Readings['auditTampered']): void {
    const gauge = new Gauge({
      name: 'gatehouse_audit_tampered',
      help: 'Workspaces whose audit log is not the one that was written; nothing is signed there until an operator acts.',
      labelNames: ['workspace', 'reason'],
      registers: [this.registry],
      collect: () => {
        gauge.reset()
        for (const labels of read()) gauge.set(labels, 1)
      },
    })
  }

  #byPlace(name: string, help: string, all: Readings['checkpointDeliveries'], read: (one: Delivery) => number): void {
    const gauge = new Gauge({
      name,
      help,
      labelNames: ['place'],
      registers: [this.registry],
      collect: () => {
        for (const one of all()) gauge.set({ place: one.place }, read(one))
      },
    })
  }

  #gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({ name, help, registers: [this.registry], collect: () => gauge.set(read()) })
  }
}
