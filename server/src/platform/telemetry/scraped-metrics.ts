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
  const register = (Kind: typeof Gauge | typeof Counter) => (name: string, help: string, read: Read) => {
    const metric: Gauge | Counter = new Kind({
      ...{ name, help, labelNames: LABELS, registers: [registry] },
      collect() {
        metric.reset()
        for (const { labels = {}, value } of samplesOf(read())) metric.inc(labels, value)
      },
    })
  }
  return { gauge: register(Gauge), counter: register(Counter) }
}

const samplesOf = (read: number | readonly Sample[]): readonly Sample[] => (typeof read === 'number' ? [{ value: read }] : read)

/** A sample for each value, whose name is the value of the label. */
export const labelled = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))
