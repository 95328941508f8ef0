import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { registerPartMetrics } from '../../part-metrics.ts'
import { VERSION } from '../../version.ts'
import { localSignal } from '../db/signal.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { textOf } from '../telemetry/snapshots.ts'
import { NodeMetrics } from './node-metrics.ts'
import { primaryMetrics } from './primary-metrics.ts'

const snapshotOf = async (requests: number, lagSeconds: number) => {
  const registry = new Registry()
  const registers = [registry]
  new Counter({ name: 'requests_total', help: 'h', labelNames: ['status'], registers }).inc({ status: '200' }, requests)
  const durations = new Histogram({ name: 'seconds', help: 'h', buckets: [1], registers })
  for (let i = 0; i < requests; i++) durations.observe(0.5)
  new Gauge({ name: 'waiting', help: 'h', registers }).set(requests)
  new Gauge({ name: 'lag', help: 'h', aggregator: 'max', registers }).set(lagSeconds)
  // As between processes.
  return structuredClone(await registry.getMetricsAsJSON())
}

test('node metrics: counters, histograms and gauges are summed, and a lag is the longest', async () => {
  const metrics = new NodeMetrics()
  metrics.update(1, await snapshotOf(3, 0.5))
  metrics.update(2, await snapshotOf(4, 2))
  const text = await textOf(await metrics.snapshot())
  for (const line of ['requests_total{status="200"} 7', 'seconds_bucket{le="+Inf"} 7', 'seconds_sum 3.5', 'waiting 7', 'lag 2'])
    expect(text).toContain(`\n${line}\n`)
})

test('node metrics: counters do not fall when processes end and others replace them', async () => {
  const metrics = new NodeMetrics()
  for (let id = 1; id <= 3; id++) {
    metrics.update(id, await snapshotOf(5, 1))
    metrics.remove(id)
  }
  metrics.update(4, await snapshotOf(1, 0))
  const text = await textOf(await metrics.snapshot())
  for (const line of ['requests_total{status="200"} 16', 'seconds_count 16', 'waiting 1', 'lag 0'])
    expect(text).toContain(`\n${line}\n`)
})

/** The metrics of a process as it registers them, with `count` of everything that it counts. */
async function snapshotOfProcess(count: number, isReady: boolean) {
  const metrics = new Metrics()
  metrics.jobRun('check audit logs', true, new Date(count * 1_000))
  const cache = { statistics: { hits: count, misses: count, size: count } }
  registerPartMetrics(metrics.registry, {
    nodeName: 'a',
    database: {
      pool: { totalCount: count, idleCount: 0, waitingCount: count },
      signal: { ...localSignal(), reconnects: count },
    },
    reads: { replica: { lagMs: isReady ? count * 1_000 : Number.POSITIVE_INFINITY, maxLagMs: 1_000 } },
    audit: { waiting: count, lagSeconds: count },
    auditWatch: { faults: new Map([['ws_1', { sequence: 1, id: null, reason: 'altered' }]]) },
    checkpointDeliveries: [{ state: { place: 'file', failures: count, waiting: count, lagSeconds: count } }],
    limitCounters: { exchanges: () => ({ ok: count, failed: 0 }) },
    semantic: { fallbacks: () => count },
    waiters: { size: count },
    hub: { size: count },
    relay: { published: count },
    webhooks: { attempts: { delivered: count, failed: 0 }, size: count },
    assistants: { size: count },
    queueMeter: { readings: [{ queue: 'events', waiting: count, oldestSeconds: count }] },
    budgetMeter: { readings: [{ scope: 'workspace', near: count, usedUp: 1 }] },
    readiness: { isReady },
    ...{ workspaceKeys: cache, allowedOrigins: cache, policies: cache, providers: cache },
    ...{ authenticator: cache, members: cache, adminAuthenticator: cache, userTokens: cache },
  })
  return structuredClone(await metrics.registry.getMetricsAsJSON())
}

test('node metrics: states of the database and ages count once, and a fault of one process is shown, when two processes report', async () => {
  const metrics = new NodeMetrics()
  metrics.update(1, await snapshotOfProcess(3, true))
  metrics.update(2, await snapshotOfProcess(4, false))
  metrics.update(3, await snapshotOfProcess(5, true))
  metrics.remove(3)
  const lines = (await textOf(await metrics.snapshot())).split('\n')
  for (const line of [
    `gatehouse_info{node="a",version="${VERSION}"} 1`,
    'gatehouse_ready 0',
    'gatehouse_budgets{scope="workspace",state="near"} 4',
    'gatehouse_budgets{scope="workspace",state="used_up"} 1',
    'gatehouse_replica_lag_seconds +Inf',
    'gatehouse_job_last_success_timestamp_seconds{task="check audit logs"} 4',
    'gatehouse_audit_tampered{workspace="ws_1",reason="altered"} 1',
    'gatehouse_audit_lag_seconds 4',
    'gatehouse_audit_delivery_waiting{place="file"} 4',
    'gatehouse_audit_delivery_lag_seconds{place="file"} 4',
    'gatehouse_queue_waiting{queue="events"} 4',
    'gatehouse_queue_oldest_seconds{queue="events"} 4',
    'gatehouse_database_connections{state="active"} 7',
    'gatehouse_audit_waiting 7',
    'gatehouse_leases{queue="webhook_deliveries"} 7',
    // Counters include the process that has ended.
    'gatehouse_limit_exchanges_total{outcome="ok"} 12',
    'gatehouse_audit_delivery_failures_total{place="file"} 12',
    'gatehouse_search_fallbacks_total 12',
  ])
    expect(lines).toContain(line)
  expect(lines.filter((line) => /^# TYPE gatehouse_\w+ counter$/.test(line) && !line.includes('_total '))).toEqual([])
})

test('node metrics: the lag of the event loop is that of the serving processes, without the idle primary process', async () => {
  const metrics = new NodeMetrics()
  const registry = new Registry()
  const lag = new Gauge({ name: 'nodejs_eventloop_lag_p99_seconds', help: 'h', aggregator: 'average', registers: [registry] })
  for (const [id, seconds] of [0.3, 0.5].entries()) {
    lag.set(seconds)
    metrics.update(id, structuredClone(await registry.getMetricsAsJSON()))
  }
  metrics.update(2, await primaryMetrics({ restarts: 1, serving: [1, 2] })())
  const lines = (await textOf(await metrics.snapshot())).split('\n')
  expect(lines).toContain('nodejs_eventloop_lag_p99_seconds 0.4')
  expect(lines).toContain('gatehouse_process_restarts_total 1')
  expect(lines).toContain('gatehouse_processes 2')
})
