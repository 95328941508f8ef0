import { Counter, Gauge, Registry } from 'prom-client'
import type { Environment } from '../config/environment.ts'
import { joinSnapshots, type Snapshot } from '../telemetry/snapshots.ts'
import {
  ANSWER_MS,
  type ProcessReport,
  type StartOrder,
  type StopSignal,
  type ToPrimary,
  type Topic,
  type ToWorker,
} from './messages.ts'
import type { NodeLink } from './node-link.ts'
import { Questions } from './questions.ts'

/** Time for the primary process after all others have answered. With it, a check of `/readyz` stays within its deadline of 2 s. */
const MARGIN_MS = 900

/** Connects a serving process to its primary process, and waits for the order to start. `env` is the environment of the node. */
export async function openWorkerLink(): Promise<{ readonly env: Environment; readonly node: NodeLink }> {
  const started = Promise.withResolvers<StartOrder>()
  const stopped = Promise.withResolvers<StopSignal>()
  const attached = Promise.withResolvers<Parameters<NodeLink['attach']>[0]>()
  const reloading = Promise.withResolvers<Parameters<NodeLink['onReload']>[0]>()
  const answers: Record<Topic, () => Promise<unknown>> = {
    alive: async () => true,
    async metrics() {
      const { metrics, log } = await attached.promise
      return metrics.registry.getMetricsAsJSON().catch((err) => log.error({ err }, 'the metrics could not be read'))
    },
  }
  const questions = new Questions({ send, answer: (topic) => answers[topic]() })
  const handlers: { [K in ToWorker['kind']]: (message: Extract<ToWorker, { kind: K }>) => unknown } = {
    start: started.resolve,
    stop: ({ signal }) => stopped.resolve(signal),
    reload: async ({ env }) => (await reloading.promise)(env),
    question: (message) => questions.receive(message),
    answer: (message) => questions.receive(message),
  }
  process.on('message', (message: ToWorker) => handlers[message.kind](message as never))
  // A terminal sends signals to the whole group: the primary process passes on what they mean, and a second one is not counted here.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.resolve(signal))
  process.on('SIGHUP', () => {})
  const askNode = async <T>(topic: Topic): Promise<readonly ProcessReport<T>[]> => {
    const reports = await questions.ask<readonly ProcessReport<T>[]>(topic, ANSWER_MS[topic] + MARGIN_MS)
    if (!reports) throw new Error('the primary process does not answer')
    return reports
  }
  const { env, number, processes, prepares } = await started.promise
  const node: NodeLink = {
    number,
    processes,
    prepares,
    leads: number === 1,
    metrics: async () => metricsOfNode(await askNode<Snapshot>('metrics')),
    askProcesses: () => askNode<boolean>('alive'),
    attach: attached.resolve,
    awaitStop: () => stopped.promise,
    onReload: reloading.resolve,
    listening: () => send({ kind: 'listening' }),
  }
  return { env, node }
}

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

/** If the primary process has died, this process ends as well (node:cluster). */
const send = (message: ToPrimary): void => void process.send?.(message, undefined, undefined, () => {})
