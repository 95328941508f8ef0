import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { textOf } from '../telemetry/snapshots.ts'
import { metricsOfNode } from './worker-link.ts'

async function snapshotOf(process: string, requests: number) {
  const registry = new Registry()
  registry.setDefaultLabels({ process })
  const registers = [registry]
  new Counter({ name: 'requests_total', help: 'h', labelNames: ['status'], registers }).inc({ status: '200' }, requests)
  new Histogram({ name: 'seconds', help: 'h', buckets: [1], registers }).observe(0.5)
  new Gauge({ name: 'lag', help: 'h', registers }).set(Number.POSITIVE_INFINITY)
  new Gauge({ name: 'start', help: 'h', registers }).set(7)
  // As between processes.
  return structuredClone(await registry.getMetricsAsJSON())
}

test('node metrics: the values of each process have its number, each metric is one group, and a silent process is down', async () => {
  const snapshot = await metricsOfNode([
    { number: 1, isServing: true, restarts: 0, answer: await snapshotOf('1', 3) },
    { number: 2, isServing: true, restarts: 2, answer: await snapshotOf('2', 4) },
    { number: 3, isServing: true, restarts: 0, answer: undefined },
  ])
  const blocks = (await textOf(snapshot)).trim().split('\n\n')
  const lines = blocks.map((block) => block.split('\n').filter((line) => !line.startsWith('#')))
  expect(lines).toEqual([
    ['requests_total{status="200",process="1"} 3', 'requests_total{status="200",process="2"} 4'],
    ['1', '2'].flatMap((process) => [
      `seconds_bucket{le="1",process="${process}"} 1`,
      `seconds_bucket{le="+Inf",process="${process}"} 1`,
      `seconds_sum{process="${process}"} 0.5`,
      `seconds_count{process="${process}"} 1`,
    ]),
    ['lag{process="1"} +Inf', 'lag{process="2"} +Inf'],
    ['start{process="1"} 7', 'start{process="2"} 7'],
    ['gatehouse_process_up{process="1"} 1', 'gatehouse_process_up{process="2"} 1', 'gatehouse_process_up{process="3"} 0'],
    [
      'gatehouse_process_restarts_total{process="1"} 0',
      'gatehouse_process_restarts_total{process="2"} 2',
      'gatehouse_process_restarts_total{process="3"} 0',
    ],
  ])
})
