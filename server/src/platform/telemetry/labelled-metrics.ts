import type { Metric, MetricObjectWithValues, MetricValueWithName, Registry } from 'prom-client'

/** Values by the names of their labels. An absent label is an empty one. */
type Labels<L extends string> = Readonly<Partial<Record<L, string | number>>>

interface Options<L extends string> {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly L[]
  readonly registry: Registry
}

type Exported = MetricObjectWithValues<MetricValueWithName<string>>

/** Series by the value of the first label, then of the second, and so on: joining the values to one key costs more than several look-ups. */
type Branch<Counts> = Map<string, Branch<Counts> | Counts>

/** A metric as a registry of prom-client reads it. `create` makes the counts of a new series. */
class LabelledMetric<L extends string, Counts> {
  readonly #options: Options<L>
  readonly #create: () => Counts
  readonly #root: Branch<Counts> = new Map()
  readonly #series: { readonly labels: Labels<L>; readonly counts: Counts }[] = []

  constructor(options: Options<L>, create: () => Counts) {
    this.#options = options
    this.#create = create
    // The registry takes every object with a name and the values, but its types know only the classes of the library.
    options.registry.registerMetric(this as unknown as Metric)
  }

  get name(): string {
    return this.#options.name
  }

  protected countsOf(labels: Labels<L>): Counts {
    const { labelNames } = this.#options
    let branch = this.#root
    for (let at = 0; at < labelNames.length - 1; at++) {
      const value = String(labels[labelNames[at] as L] ?? '')
      const next = (branch.get(value) as Branch<Counts> | undefined) ?? new Map()
      if (next.size === 0) branch.set(value, next)
      branch = next
    }
    const value = String(labels[labelNames.at(-1) as L] ?? '')
    return (branch.get(value) as Counts | undefined) ?? this.#addSeries(branch, value, labels)
  }

  #addSeries(branch: Branch<Counts>, value: string, labels: Labels<L>): Counts {
    const counts = this.#create()
    branch.set(value, counts)
    this.#series.push({ labels: { ...labels }, counts })
    return counts
  }

  protected export(type: string, valuesOf: (labels: Labels<L>, counts: Counts) => MetricValueWithName<string>[]): Exported {
    const { name, help } = this.#options
    const values = this.#series.flatMap(({ labels, counts }) => valuesOf(labels, counts))
    return { name, help, type, values } as unknown as Exported
  }
}

/** A counter for every request: the one of prom-client sorts, checks and hashes the labels each time (decision 0022). */
export class Counter<L extends string> extends LabelledMetric<L, { value: number }> {
  constructor(options: Options<L>) {
    super(options, () => ({ value: 0 }))
    // A metric without labels has its value from the start.
    if (options.labelNames.length === 0) this.inc({} as Labels<L>, 0)
  }

  inc(labels: Labels<L>, by = 1): void {
    this.countsOf(labels).value += by
  }

  get(): Exported {
    return this.export('counter', (labels, { value }) => [{ labels: { ...labels }, value } as MetricValueWithName<string>])
  }
}

interface Observed {
  sum: number
  count: number
  /** Number of values in each bucket. Values above the last boundary are only in `count`. */
  readonly buckets: number[]
}

/** A histogram for every request: see Counter. */
export class Histogram<L extends string> extends LabelledMetric<L, Observed> {
  readonly #boundaries: readonly number[]

  /** `boundaries`: the highest value of each bucket, in ascending order. */
  constructor(options: Options<L>, boundaries: readonly number[]) {
    super(options, () => ({ sum: 0, count: 0, buckets: boundaries.map(() => 0) }))
    this.#boundaries = boundaries
  }

  observe(labels: Labels<L>, value: number): void {
    const observed = this.countsOf(labels)
    observed.sum += value
    observed.count += 1
    const bucket = this.#boundaries.findIndex((boundary) => value <= boundary)
    if (bucket >= 0) observed.buckets[bucket] = (observed.buckets[bucket] ?? 0) + 1
  }

  get(): Exported {
    return this.export('histogram', (labels, { sum, count, buckets }) => {
      const named = (suffix: string, value: number, le?: number | string): MetricValueWithName<string> => ({
        metricName: `${this.name}_${suffix}`,
        labels: { ...(le !== undefined && { le }), ...labels },
        value,
      })
      let below = 0
      const cumulative = buckets.map((values, index) => {
        below += values
        return named('bucket', below, this.#boundaries[index])
      })
      return [...cumulative, named('bucket', count, '+Inf'), named('sum', sum), named('count', count)]
    })
  }
}
