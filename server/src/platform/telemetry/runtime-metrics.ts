import type { Registry } from 'prom-client'
import type { CacheStatistics } from '../lib/cache-statistics.ts'
import { labelled, registrar } from './scraped-metrics.ts'

/** A queue in the database, as of its last measurement (domains/jobs/queue-meter.ts). */
interface QueueReading {
  readonly queue: string
  /** Counted up to a limit. */
  readonly waiting: number
  readonly oldestSeconds: number
}

/** Budgets of a scope, as of the last measurement (domains/budgets/budget-meter.ts). */
interface BudgetReading {
  readonly scope: string
  readonly near: number
  readonly usedUp: number
}

/** Functions that read the state of this node when metrics are scraped. None of them waits for the database. */
export interface RuntimeReadings {
  readonly node: { readonly name: string; readonly version: string }
  readonly pool: () => { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number }
  readonly listenReconnects: () => number
  readonly eventStreams: () => number
  readonly publishedEvents: () => number
  readonly webhookAttempts: () => { readonly delivered: number; readonly failed: number }
  readonly queues: () => readonly QueueReading[]
  readonly budgets: () => readonly BudgetReading[]
  /** Whether the last check of readiness passed. */
  readonly isReady: () => boolean
  /** Items that this node has claimed, by queue. */
  readonly leases: () => Readonly<Record<string, number>>
  readonly caches: () => Readonly<Record<string, CacheStatistics>>
}

/** Metrics of the parts of a node that count themselves. */
export function registerRuntimeMetrics(registry: Registry, read: RuntimeReadings): void {
  const register = registrar(registry)
  const { name: node, version } = read.node
  register.gauge('gatehouse_info', 'Always 1; the labels name the node and its version.', 'max', () => [
    { labels: { node, version }, value: 1 },
  ])
  const ready = '1 if the last check of readiness passed, else 0. The server checks every 10 s.'
  register.gauge('gatehouse_ready', ready, 'min', () => [{ value: Number(read.isReady()) }])
  register.gauge('gatehouse_database_connections', 'Connections of the pool, by state: active, idle.', 'sum', () => {
    const { totalCount, idleCount } = read.pool()
    return labelled('state', { active: totalCount - idleCount, idle: idleCount })
  })
  register.gauge('gatehouse_database_waiting', 'Requests for a connection that wait.', 'sum', () => [
    { value: read.pool().waitingCount },
  ])
  register.counter('gatehouse_listen_reconnects_total', 'New connections for notifications after the first one.', () => [
    { value: read.listenReconnects() },
  ])
  register.gauge('gatehouse_event_streams', 'Open event streams.', 'sum', () => [{ value: read.eventStreams() }])
  register.counter('gatehouse_events_published_total', 'Events that this node moved from the outbox to the log.', () => [
    { value: read.publishedEvents() },
  ])
  register.counter('gatehouse_webhook_attempts_total', 'Attempts to deliver to a webhook, by outcome.', () =>
    labelled('outcome', { ...read.webhookAttempts() }),
  )
  const queues = (value: (queue: QueueReading) => number) => () =>
    read.queues().map((queue) => ({ labels: { queue: queue.queue }, value: value(queue) }))
  register.gauge(
    'gatehouse_queue_waiting',
    'Items that wait in the database, counted up to 10,000, by queue.',
    'max',
    queues(({ waiting }) => waiting),
  )
  register.gauge(
    'gatehouse_queue_oldest_seconds',
    'Age of the oldest waiting item, by queue.',
    'max',
    queues(({ oldestSeconds }) => oldestSeconds),
  )
  register.gauge('gatehouse_leases', 'Items that this node has claimed and works on, by queue.', 'sum', () =>
    labelled('queue', read.leases()),
  )
  registerBudgets(register, read.budgets)
  registerCaches(register, read.caches)
}

function registerBudgets(register: ReturnType<typeof registrar>, budgets: RuntimeReadings['budgets']): void {
  const help = 'Counts of budgets in their current windows, by scope and state: near (80 % of the limit is spent), used_up.'
  register.gauge('gatehouse_budgets', help, 'max', () =>
    budgets().flatMap(({ scope, near, usedUp }) => [
      { labels: { scope, state: 'near' }, value: near },
      { labels: { scope, state: 'used_up' }, value: usedUp },
    ]),
  )
}

function registerCaches(register: ReturnType<typeof registrar>, caches: RuntimeReadings['caches']): void {
  const each = (value: (cache: CacheStatistics) => number) => () =>
    Object.entries(caches()).map(([cache, statistics]) => ({ labels: { cache }, value: value(statistics) }))
  register.counter(
    'gatehouse_cache_hits_total',
    'Look-ups that a cache could answer.',
    each(({ hits }) => hits),
  )
  register.counter(
    'gatehouse_cache_misses_total',
    'Look-ups that a cache could not answer.',
    each(({ misses }) => misses),
  )
  register.gauge(
    'gatehouse_cache_entries',
    'Entries of a cache.',
    'sum',
    each(({ size }) => size),
  )
}
