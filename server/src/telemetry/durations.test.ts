import { Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { Durations } from './durations.ts'

const BUCKETS = [0.001, 0.01, 0.1, 1]
const OBSERVED: [number, string, string][] = [
  [0.0005, 'a', 'ok'],
  [0.001, 'a', 'ok'],
  [0.0011, 'a', 'failed "quoted"\\'],
  [0.5, 'b', 'ok'],
  [2, 'b', 'ok'],
]

const seriesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .sort()

test('a scrape reads as that of a histogram of prom-client', async () => {
  const [own, theirs] = [new Registry(), new Registry()]
  const durations = new Durations(own, 'work_seconds', 'Time of work.', ['who', 'outcome'], BUCKETS)
  const options = { name: 'work_seconds', help: 'Time of work.', labelNames: ['who', 'outcome'], buckets: BUCKETS }
  const histogram = new Histogram({ ...options, registers: [theirs] })
  for (const [seconds, who, outcome] of OBSERVED) {
    durations.observe(seconds, who, outcome)
    histogram.observe({ who, outcome }, seconds)
  }
  const text = seriesOf(await own.metrics())
  expect(text).toContain('work_seconds_count{who="b",outcome="ok"} 2')
  const sortLabels = (line: string) => line.replace(/\{(.*)\}/, (_, labels: string) => labels.split(',').sort().join(','))
  expect(text.map(sortLabels).sort()).toEqual(
    seriesOf(await theirs.metrics())
      .map(sortLabels)
      .sort(),
  )
})
