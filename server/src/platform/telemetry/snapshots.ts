import { type Metric, Registry } from 'prom-client'

export type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The metrics of several processes as one. A label of each process keeps their values apart. */
export function joinSnapshots(snapshots: readonly Snapshot[]): Snapshot {
  const byName = Map.groupBy(snapshots.flat(), ({ name }) => name)
  return [...byName.values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const values = [first, ...others].flatMap((metric) => metric.values)
    return [{ ...first, values }]
  })
}

export function textOf(snapshot: Snapshot): Promise<string> {
  const registry = new Registry()
  // The registry takes every object with a name and the values, but its types know only the classes of the library.
  for (const metric of snapshot) registry.registerMetric({ ...metric, get: () => metric } as unknown as Metric)
  return registry.metrics()
}
