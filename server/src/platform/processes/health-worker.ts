import { parentPort, workerData } from 'node:worker_threads'
import { type HealthServerOptions, startHealthServer } from './health-server.ts'
import type { ThreadStarted } from './health-thread.ts'
import { Heartbeats } from './heartbeat.ts'
import type { Answer, Beat, Question } from './messages.ts'
import { NodeHealth } from './node-health.ts'
import { Questions } from './questions.ts'

/** The thread that serves the health port of a server with one process. */
const questions = new Questions({ send: (message) => parentPort?.postMessage(message) })
const heartbeats = new Heartbeats({ onHung: () => {} })
heartbeats.watch(1)
parentPort?.on('message', (message: Beat | Question | Answer) => {
  if (message.kind === 'beat') heartbeats.beat(1)
  else questions.receive(message)
})
const health = new NodeHealth({
  members: () => [{ id: 1, number: undefined, questions }],
  expected: 1,
  isAlive: () => !heartbeats.isHung(1),
})

const started = await startHealthServer(workerData as HealthServerOptions, health).then(
  (): ThreadStarted => ({ kind: 'listening' }),
  ({ code, syscall }): ThreadStarted => ({ kind: 'problem', code, syscall }),
)
parentPort?.postMessage(started)
