import { Counter, Gauge, Registry } from 'prom-client'
import { joinSnapshots, type Snapshot } from '../telemetry/snapshots.ts'
import type { ProcessReport } from './messages.ts'

/** The metrics of a node: those of its processes, which have the label `process`, and whether each of them answers. */
export async function metricsOfNode(reports: readonly ProcessReport<Snapshot>[]): Promise<Snapshot> {
  const registry = new Registry()
  const options = { labelNames: ['process'], registers: [registry] }
  const up = new Gauge({ ...options, name: 'gatehouse_process_up', help: '1 if the process answers, else 0.' })
  const restarts = new Counter({
    ...options,
    name: 'gatehouse_process_restarts_total',
    help: 'Processes that ended unexpectedly and were started again.',
  })
  for (const { number, answer, restarts: count } of reports) {
    up.set({ process: String(number) }, answer === undefined ? 0 : 1)
    restarts.inc({ process: String(number) }, count)
  }
  return joinSnapshots([...reports.flatMap(({ answer }) => (answer ? [answer] : [])), await registry.getMetricsAsJSON()])
}
