import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Snapshot } from '../telemetry/snapshots.ts'
import type { WorkerPool } from './worker-pool.ts'

/** The node's value is the average of its processes, and the primary process is idle: it would hide how busy the others are. */
const EVENT_LOOP = /^nodejs_eventloop_lag_/

/** Reads the metrics of the primary process: its memory and CPU, and the state of the others. */
export function primaryMetrics(
  pool: Pick<WorkerPool, 'restarts'> & { readonly serving: { readonly length: number } },
): () => Promise<Snapshot> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const restarts = new Counter({
    name: 'gatehouse_process_restarts_total',
    help: 'Serving processes that ended unexpectedly and were started again.',
    registers: [registry],
    collect() {
      restarts.reset()
      restarts.inc(pool.restarts)
    },
  })
  const serving: Gauge = new Gauge({
    name: 'gatehouse_processes',
    help: 'Serving processes of this node.',
    registers: [registry],
    collect: () => serving.set(pool.serving.length),
  })
  return async () => (await registry.getMetricsAsJSON()).filter(({ name }) => !EVENT_LOOP.test(name))
}
