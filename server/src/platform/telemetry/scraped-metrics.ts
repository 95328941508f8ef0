import { Counter, Gauge, type Registry } from 'prom-client'

interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads the value of a metric without labels, or the samples of one with labels. It never waits for the database. */
type Read = () => number | readonly Sample[]

const LABELS = ['node', 'version', 'state', 'outcome', 'queue', 'cache', 'place', 'workspace', 'reason', 'scope']

/** Registers metrics whose values are read when they are scraped. */
export function registrar(registry: Registry) {
  const options = (name: string, help: string) => ({ name, help, labelNames: LABELS, registers: [registry] })
  return {
    gauge(name: string, help: string, read: Read): void {
      const gauge: Gauge = new Gauge({
        ...options(name, help),
        collect: () => {
          gauge.reset()
          for (const { labels = {}, value } of samplesOf(read())) gauge.set(labels, value)
        },
      })
    },
    counter(name: string, help: string, read: Read): void {
      const counter: Counter = new Counter({
        ...options(name, help),
        collect: () => {
          counter.reset()
          for (const { labels = {}, value } of samplesOf(read())) counter.inc(labels, value)
        },
      })
    },
  }
}

const samplesOf = (read: number | readonly Sample[]): readonly Sample[] => (typeof read === 'number' ? [{ value: read }] : read)

/** A sample for each value, whose name is the value of the label. */
export const labelled = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))
