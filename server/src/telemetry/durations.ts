import type { MetricObjectWithValues, MetricValueWithName, Registry } from 'prom-client'

interface Series {
  readonly labels: Record<string, string>
  /** How many fell into each bucket and no smaller one; the last has no upper bound. */
  readonly counts: number[]
  sum: number
}

/**
 * A Prometheus histogram of durations whose cost falls on whoever scrapes: an exchange has a dozen to note, and
 * prom-client's own takes some 2 µs for each to find its labels.
 */
export class Durations<L extends string> {
  readonly name: string
  readonly #help: string
  readonly #labels: readonly L[]
  readonly #buckets: readonly number[]
  readonly #series = new Map<string, Series>()

  /** `buckets`: upper bounds in seconds, ascending. */
  constructor(registry: Registry, name: string, help: string, labels: readonly L[], buckets: readonly number[]) {
    this.name = name
    this.#help = help
    this.#labels = labels
    this.#buckets = buckets
    registry.registerMetric(this as never)
  }

  /** `values`: of the labels, in their order. */
  observe(seconds: number, ...values: readonly string[]): void {
    const key = values.length === 1 ? (values[0] ?? '') : values.join('\0')
    const series = this.#series.get(key) ?? this.#begin(key, values)
    let at = 0
    while (at < this.#buckets.length && seconds > (this.#buckets[at] as number)) at++
    series.counts[at] = (series.counts[at] ?? 0) + 1
    series.sum += seconds
  }

  /** What prom-client's registry asks of a metric. */
  get(): MetricObjectWithValues<MetricValueWithName<L | 'le'>> {
    const values = [...this.#series.values()].flatMap(({ labels, counts, sum }) => {
      let count = 0
      const buckets = counts.map((number, at) => {
        count += number
        return this.#value('_bucket', count, { ...labels, le: this.#buckets[at] ?? '+Inf' })
      })
      return [...buckets, this.#value('_sum', sum, labels), this.#value('_count', count, labels)]
    })
    return { name: this.name, help: this.#help, type: 'histogram', aggregator: 'sum', values } as never
  }

  reset(): void {
    this.#series.clear()
  }

  #begin(key: string, values: readonly string[]): Series {
    const labels = Object.fromEntries(this.#labels.map((label, at) => [label, values[at] ?? '']))
    const series = { labels, counts: new Array<number>(this.#buckets.length + 1).fill(0), sum: 0 }
    this.#series.set(key, series)
    return series
  }

  #value(suffix: string, value: number, labels: Record<string, string | number>): MetricValueWithName<L | 'le'> {
    return { metricName: `${this.name}${suffix}`, value, labels } as never
  }
}
