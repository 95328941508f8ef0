import type { Snapshot } from '../telemetry/snapshots.ts'
import type { Answering } from './node-link.ts'
import type { ProcessReadiness } from './node-readiness.ts'

/** The answers of a serving process. The causes of failed checks stay in its log. */
export const answersOf = ({ readiness, metrics, log }: Answering) => ({
  readiness: async (): Promise<ProcessReadiness> => {
    const { ready, checks } = await readiness.report()
    for (const { name, cause } of checks) if (cause !== undefined) log.warn({ err: cause, check: name }, 'not ready')
    return { ready, checks: checks.map(({ cause: _, ...check }) => check) }
  },
  metrics: (): Promise<Snapshot> => metrics.registry.getMetricsAsJSON(),
})
