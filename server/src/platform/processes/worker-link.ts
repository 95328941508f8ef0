import type { Environment } from '../config/environment.ts'
import type { Snapshot } from '../telemetry/snapshots.ts'
import { answersOf } from './answers.ts'
import { BEAT_MS } from './heartbeat.ts'
import type { StartOrder, StopSignal, ToPrimary, ToWorker } from './messages.ts'
import type { Answering, NodeLink } from './node-link.ts'
import { Questions } from './questions.ts'

/** Time for the primary process to ask all processes. */
const NODE_METRICS_MS = 4_000
/** The primary process and the terminal send signals to the whole group; the message of the primary process counts. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Connects a serving process to its primary process, and waits for the order to start. */
export async function openWorkerLink(): Promise<{
  order: StartOrder
  connect: (processes: number) => NodeLink
}> {
  const started = Promise.withResolvers<StartOrder>()
  const stopped = Promise.withResolvers<StopSignal>()
  let answering: Answering | undefined
  let reload: ((env: Environment) => Promise<void>) | undefined
  let reloaded: Environment | undefined
  const questions = new Questions({
    send,
    answers: {
      readiness: async () => answering && answersOf(answering).readiness(),
      metrics: async () => answering && answersOf(answering).metrics(),
    },
    onError: (err) => answering?.log.error({ err }, 'a question of the primary process was not answered'),
  })
  const receive = {
    start: ({ order }: { order: StartOrder }) => started.resolve(order),
    stop: ({ signal }: { signal: StopSignal }) => stopped.resolve(signal),
    reload: ({ env }: { env: Environment }) => {
      if (reload) void reload(env)
      else reloaded = env
    },
  }
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'question' || message.kind === 'answer') questions.receive(message)
    else receive[message.kind](message as never)
  })
  for (const signal of STOP_SIGNALS) process.on(signal, () => stopped.resolve(signal))
  process.on('SIGHUP', () => {})
  setInterval(() => send({ kind: 'beat' }), BEAT_MS).unref()
  const order = await started.promise
  return {
    order,
    connect: (processes) => ({
      number: order.number,
      processes,
      prepares: order.prepares,
      leads: order.number === 1,
      metrics: () => questions.ask<Snapshot>('node_metrics', NODE_METRICS_MS),
      attach: async (given) => {
        answering = given
      },
      awaitStop: () => stopped.promise,
      onReload: (listener) => {
        reload = listener
        if (reloaded) void listener(reloaded)
      },
      listening: (port) => send({ kind: 'listening', port }),
      close: async () => {},
    }),
  }
}

/** If the primary process has died, this process ends as well (node:cluster). */
const send = (message: ToPrimary): void => void process.send?.(message, undefined, undefined, () => {})
