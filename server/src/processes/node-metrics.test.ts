import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { NodeMetrics } from './node-metrics.ts'

const snapshotOf = async (requests: number, lagSeconds: number) => {
  const registry = new Registry()
  const registers = [registry]
  new Counter({ name: 'requests_total', help: 'h', labelNames: ['status'], registers }).inc({ status: '200' }, requests)
  const durations = new Histogram({ name: 'seconds', help: 'h', buckets: [1], registers })
  for (let i = 0; i < requests; i++) durations.observe(0.5)
  new Gauge({ name: 'waiting', help: 'h', registers }).set(requests)
  new Gauge({ name: 'lag', help: 'h', aggregator: 'max', registers }).set(lagSeconds)
  // As between processes.
  return JSON.parse(JSON.stringify(await registry.getMetricsAsJSON()))
}

test('node metrics: counters, histograms and gauges are summed, and a lag is the longest', async () => {
  const metrics = new NodeMetrics()
  metrics.update(1, await snapshotOf(3, 0.5))
  metrics.update(2, await snapshotOf(4, 2))
  const text = await metrics.text()
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
  const text = await metrics.text()
  for (const line of ['requests_total{status="200"} 16', 'seconds_count 16', 'waiting 1', 'lag 0'])
    expect(text).toContain(`\n${line}\n`)
})
