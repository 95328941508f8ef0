import { parentPort, workerData } from 'node:worker_threads'
import { type HealthServerOptions, startHealthServer } from './health-server.ts'
import type { ThreadStarted } from './health-thread.ts'
import type { Answer, Question } from './messages.ts'
import { NodeHealth } from './node-health.ts'
import { Questions } from './questions.ts'

/** The thread that serves the health port of a server with one process. */
const questions = new Questions({ send: (message) => parentPort?.postMessage(message) })
parentPort?.on('message', (message: Question | Answer) => questions.receive(message))
const health = new NodeHealth({ members: () => [{ id: 1, number: undefined, questions }], expected: 1 })

const started = await startHealthServer(workerData as HealthServerOptions, health).then(
  (): ThreadStarted => ({ kind: 'listening' }),
  ({ code, syscall }): ThreadStarted => ({ kind: 'problem', code, syscall }),
)
parentPort?.postMessage(started)
