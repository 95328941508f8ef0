import type { Registry } from 'prom-client'
import type { AuditWatch } from './domains/audit/checkpoints/watch.ts'
import type { CheckpointDelivery } from './domains/audit/delivery/checkpoint-delivery.ts'
import type { BudgetMeter } from './domains/budgets/open-budgets.ts'
import type { QueueMeter } from './domains/jobs/queue-meter.ts'
import type { OpenCounters } from './domains/limits/shared/open-counters.ts'
import type { Database } from './platform/db/database.ts'
import type { CacheStatistics } from './platform/lib/cache.ts'
import { labelled, registrar } from './platform/telemetry/scraped-metrics.ts'
import { VERSION } from './version.ts'

type Sized = { readonly size: number }
type Cached = { readonly statistics: CacheStatistics }

interface Parts {
  readonly nodeName: string
  readonly database: { readonly pool: Pick<Database['pool'], 'totalCount' | 'idleCount' | 'waitingCount'> } & Pick<
    Database,
    'signal'
  >
  readonly reads: Pick<Database['reads'], 'replica'>
  readonly audit: { readonly waiting: number; readonly lagSeconds: number }
  readonly auditWatch: Pick<AuditWatch, 'faults'>
  readonly checkpointDeliveries: readonly Pick<CheckpointDelivery, 'state'>[]
  readonly limitCounters: Pick<OpenCounters, 'exchanges'>
  readonly semantic: { readonly fallbacks: () => number } | undefined
  readonly waiters: Sized
  readonly hub: Sized
  readonly relay: { readonly published: number }
  readonly webhooks: { readonly attempts: { readonly delivered: number; readonly failed: number } } & Sized
  readonly assistants: Sized
  readonly queueMeter: Pick<QueueMeter, 'readings'>
  readonly budgetMeter: Pick<BudgetMeter, 'readings'>
  readonly readiness: { readonly isReady: boolean }
  readonly workspaceKeys: Cached
  readonly allowedOrigins: Cached
  readonly policies: Cached
  readonly providers: Cached
  readonly authenticator: Cached
  readonly members: Cached
  readonly adminAuthenticator: Cached
  readonly userTokens: Cached
}

export function registerPartMetrics(registry: Registry, parts: Parts): void {
  registerAudit(registry, parts)
  registerDatabase(registry, parts)
  registerMessaging(registry, parts)
  registerCaches(registry, parts)
  const { nodeName, waiters, semantic, limitCounters, budgetMeter, readiness } = parts
  const { gauge, counter } = registrar(registry)
  gauge('gatehouse_info', 'Always 1; the labels name the node and its version.', () => [
    { labels: { node: nodeName, version: VERSION }, value: 1 },
  ])
  const ready = '1 if the last check of readiness passed, else 0. The server checks every 10 s.'
  gauge('gatehouse_ready', ready, () => Number(readiness.isReady))
  gauge('gatehouse_waiting_for_review', 'Requests that wait for a reviewer.', () => waiters.size)
  const fallbacks = 'Searches that were only lexical because the embedder did not respond.'
  counter('gatehouse_search_fallbacks_total', fallbacks, () => semantic?.fallbacks() ?? 0)
  const exchanges =
    'Exchanges of leases of limits with the other nodes, by outcome. Requests that waited for a failed one got 503.'
  counter('gatehouse_limit_exchanges_total', exchanges, () => labelled('outcome', { ...limitCounters.exchanges() }))
  const budgets = 'Counts of budgets in their current windows, by scope and state: near (80 % of the limit is spent), used_up.'
  gauge('gatehouse_budgets', budgets, () =>
    budgetMeter.readings.flatMap(({ scope, near, usedUp }) => [
      { labels: { scope, state: 'near' }, value: near },
      { labels: { scope, state: 'used_up' }, value: usedUp },
    ]),
  )
}

function registerAudit(registry: Registry, { audit, auditWatch, checkpointDeliveries }: Parts): void {
  const { gauge, counter } = registrar(registry)
  gauge('gatehouse_audit_waiting', 'Audit records that are not committed yet.', () => audit.waiting)
  gauge('gatehouse_audit_lag_seconds', 'Age of the oldest audit record that is not committed yet.', () => audit.lagSeconds)
  const tampered =
    'Workspaces whose audit log was changed outside of Gatehouse. Their checkpoints are not signed until an operator resolves it.'
  gauge('gatehouse_audit_tampered', tampered, () =>
    [...auditWatch.faults].map(([workspace, { reason }]) => ({ labels: { workspace, reason }, value: 1 })),
  )
  const deliveries = (name: 'failures' | 'waiting' | 'lagSeconds') => () =>
    checkpointDeliveries.map(({ state }) => ({ labels: { place: state.place }, value: state[name] }))
  counter('gatehouse_audit_delivery_failures_total', 'Failed deliveries of audit checkpoints.', deliveries('failures'))
  // One process delivers them (decision 0028).
  const waiting = 'Audit checkpoints that are not delivered yet.'
  gauge('gatehouse_audit_delivery_waiting', waiting, deliveries('waiting'))
  const lag = 'Age of the oldest audit checkpoint that is not delivered yet.'
  gauge('gatehouse_audit_delivery_lag_seconds', lag, deliveries('lagSeconds'))
}

function registerDatabase(registry: Registry, { database: { pool, signal }, reads }: Parts): void {
  const { gauge, counter } = registrar(registry)
  gauge('gatehouse_database_connections', 'Connections of the pool, by state: active, idle.', () =>
    labelled('state', { active: pool.totalCount - pool.idleCount, idle: pool.idleCount }),
  )
  gauge('gatehouse_database_waiting', 'Requests for a connection that wait.', () => pool.waitingCount)
  const reconnects = 'New connections for notifications after the first one.'
  counter('gatehouse_listen_reconnects_total', reconnects, () => signal.reconnects)
  const replica = 'Age of the data of the read replica. 0 without a replica, +Inf if it does not respond.'
  gauge('gatehouse_replica_lag_seconds', replica, () => (reads.replica?.lagMs ?? 0) / 1_000)
}

function registerMessaging(registry: Registry, { hub, relay, webhooks, assistants, queueMeter }: Parts): void {
  const { gauge, counter } = registrar(registry)
  gauge('gatehouse_event_streams', 'Open event streams.', () => hub.size)
  const published = 'Events that this node moved from the outbox to the log.'
  counter('gatehouse_events_published_total', published, () => relay.published)
  const attempts = 'Attempts to deliver to a webhook, by outcome.'
  counter('gatehouse_webhook_attempts_total', attempts, () => labelled('outcome', { ...webhooks.attempts }))
  const queues = (name: 'waiting' | 'oldestSeconds') => () =>
    queueMeter.readings.map(({ queue, [name]: value }) => ({ labels: { queue }, value }))
  const waiting = 'Items that wait in the database, counted up to 10,000, by queue.'
  gauge('gatehouse_queue_waiting', waiting, queues('waiting'))
  gauge('gatehouse_queue_oldest_seconds', 'Age of the oldest waiting item, by queue.', queues('oldestSeconds'))
  gauge('gatehouse_leases', 'Items that this node has claimed and works on, by queue.', () =>
    labelled('queue', { assistant_turns: assistants.size, webhook_deliveries: webhooks.size }),
  )
}

function registerCaches(registry: Registry, parts: Parts): void {
  const { gauge, counter } = registrar(registry)
  const caches = Object.entries({
    access_tokens: parts.members,
    admin_tokens: parts.adminAuthenticator,
    api_keys: parts.authenticator,
    origins: parts.allowedOrigins,
    policies: parts.policies,
    providers: parts.providers,
    user_token_verifiers: parts.userTokens,
    workspace_keys: parts.workspaceKeys,
  })
  const each = (name: keyof CacheStatistics) => () =>
    caches.map(([cache, { statistics }]) => ({ labels: { cache }, value: statistics[name] }))
  counter('gatehouse_cache_hits_total', 'Look-ups that a cache could answer.', each('hits'))
  counter('gatehouse_cache_misses_total', 'Look-ups that a cache could not answer.', each('misses'))
  gauge('gatehouse_cache_entries', 'Entries of a cache.', each('size'))
}
