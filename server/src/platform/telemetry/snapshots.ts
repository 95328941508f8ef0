import { AggregatorRegistry, type Registry } from 'prom-client'

/** The metrics of one or several processes at one time. */
export type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

const registryOf = (snapshots: readonly Snapshot[]): Registry => AggregatorRegistry.aggregate([...snapshots])

/** The metrics of several processes as one: each metric names how its values are aggregated. */
export const sumOf = (snapshots: readonly Snapshot[]): Promise<Snapshot> => registryOf(snapshots).getMetricsAsJSON()

/** The text of `/metrics`. */
export const textOf = (snapshot: Snapshot): Promise<string> => registryOf([snapshot]).metrics()
