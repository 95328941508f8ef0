import type { Registry } from 'prom-client'
import { labelled, registrar } from './scraped-metrics.ts'

interface Delivery {
  readonly place: string
  readonly failures: number
  readonly waiting: number
  readonly lagSeconds: number
}

/** Functions that read the state of audit, reviews, limits and searches when metrics are scraped. */
export interface Readings {
  readonly auditWaiting: () => number
  readonly auditLagSeconds: () => number
  /** Workspaces whose audit log was tampered with, and the reason. */
  readonly auditTampered: () => readonly { readonly workspace: string; readonly reason: string }[]
  /** One for each external place that receives audit checkpoints. */
  readonly checkpointDeliveries: () => readonly Delivery[]
  readonly waitingForReview: () => number
  readonly lexicalFallbacks: () => number
  /** Exchanges of leases of limits since the start. */
  readonly limitExchanges: () => { readonly ok: number; readonly failed: number }
  /** Undefined: there is no read replica. Infinity: unknown. */
  readonly replicaLagMs: () => number | undefined
}

/** Metrics of audit, reviews, limits and searches. */
export function registerReadings(registry: Registry, read: Readings): void {
  registerAudit(registry, read)
  const { gauge, counter } = registrar(registry)
  gauge('gatehouse_waiting_for_review', 'Requests that wait for a reviewer.', 'sum', () => [{ value: read.waitingForReview() }])
  const fallbacks = 'Searches that were only lexical because the embedder did not respond.'
  counter('gatehouse_search_fallbacks_total', fallbacks, () => [{ value: read.lexicalFallbacks() }])
  const exchanges =
    'Exchanges of leases of limits with the other nodes, by outcome. Requests that waited for a failed one got 503.'
  counter('gatehouse_limit_exchanges_total', exchanges, () => labelled('outcome', { ...read.limitExchanges() }))
  const replica = 'Age of the data of the read replica. 0 without a replica, +Inf if it does not respond.'
  gauge('gatehouse_replica_lag_seconds', replica, 'max', () => [{ value: (read.replicaLagMs() ?? 0) / 1_000 }])
}

function registerAudit(registry: Registry, read: Readings): void {
  const { gauge, counter } = registrar(registry)
  const waiting = 'Audit records that are not committed yet.'
  gauge('gatehouse_audit_waiting', waiting, 'sum', () => [{ value: read.auditWaiting() }])
  const lag = 'Age of the oldest audit record that is not committed yet.'
  gauge('gatehouse_audit_lag_seconds', lag, 'max', () => [{ value: read.auditLagSeconds() }])
  const tampered =
    'Workspaces whose audit log was changed outside of Gatehouse. Their checkpoints are not signed until an operator resolves it.'
  gauge('gatehouse_audit_tampered', tampered, 'max', () =>
    read.auditTampered().map((labels) => ({ labels: { ...labels }, value: 1 })),
  )
  const deliveries = (value: (delivery: Delivery) => number) => () =>
    read.checkpointDeliveries().map((delivery) => ({ labels: { place: delivery.place }, value: value(delivery) }))
  counter(
    'gatehouse_audit_delivery_failures_total',
    'Failed deliveries of audit checkpoints.',
    deliveries(({ failures }) => failures),
  )
  // One process delivers them (decision 0028).
  gauge(
    'gatehouse_audit_delivery_waiting',
    'Audit checkpoints that are not delivered yet.',
    'max',
    deliveries((delivery) => delivery.waiting),
  )
  gauge(
    'gatehouse_audit_delivery_lag_seconds',
    'Age of the oldest audit checkpoint that is not delivered yet.',
    'max',
    deliveries(({ lagSeconds }) => lagSeconds),
  )
}
