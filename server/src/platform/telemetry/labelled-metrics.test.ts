import { Counter as PromCounter, Histogram as PromHistogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { Counter, Histogram } from './labelled-metrics.ts'
import { textOf } from './snapshots.ts'

const BUCKETS = [0.5, 1, 10]
const LABELS = ['endpoint', 'status'] as const

/** The text of `/metrics`. */
const scrape = async (registry: Registry): Promise<string> => textOf(await registry.getMetricsAsJSON())

test('labelled metrics: export what the metrics of prom-client export when both count the same', async () => {
  const [own, prom] = [new Registry(), new Registry()]
  const counters = [
    new Counter({ name: 'c', help: 'h', labelNames: LABELS, registry: own }),
    new PromCounter({ name: 'c', help: 'h', labelNames: LABELS, registers: [prom] }),
  ]
  const histograms = [
    new Histogram({ name: 'd', help: 'h', labelNames: LABELS, registry: own }, BUCKETS),
    new PromHistogram({ name: 'd', help: 'h', labelNames: LABELS, buckets: BUCKETS, registers: [prom] }),
  ]
  new Counter({ name: 'without', help: 'h', labelNames: [], registry: own })
  new PromCounter({ name: 'without', help: 'h', registers: [prom] })
  for (const counter of counters) {
    counter.inc({ endpoint: 'chat', status: 200 })
    counter.inc({ endpoint: 'chat', status: 200 }, 2.5)
    counter.inc({ endpoint: 'chat' }, 0)
    counter.inc({ endpoint: 'a "quoted"\nname\\', status: 200 })
  }
  for (const histogram of histograms) {
    for (const value of [0, 0.5, 0.7, 10, 11]) histogram.observe({ endpoint: 'chat', status: 200 }, value)
    histogram.observe({ endpoint: 'models', status: 200 }, 0.1)
  }
  expect(await scrape(own)).toBe(await scrape(prom))
})

test('labelled metrics: values are not mixed up when the texts of their labels are the same in a row', async () => {
  const registry = new Registry()
  const counter = new Counter({ name: 'c', help: 'h', labelNames: LABELS, registry })
  counter.inc({ endpoint: 'ab', status: 'c' })
  counter.inc({ endpoint: 'a', status: 'bc' })
  expect((await counter.get()).values.map(({ value }) => value)).toEqual([1, 1])
})
