import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { HealthServerOptions } from './health-server.ts'
import { BEAT_MS } from './heartbeat.ts'
import type { Answer, Beat, Question, Topic } from './messages.ts'
import { Questions } from './questions.ts'

/** The first message of the thread: whether it listens. `problem`: the error of the system. */
export type ThreadStarted =
  | { readonly kind: 'listening' }
  | { readonly kind: 'problem'; readonly code: string; readonly syscall: string }

type Answers = { readonly [T in Topic]?: () => Promise<unknown> }

/** Starts a thread that serves the health port while the event loop of this process is busy. Rejects if the port cannot be used. */
export async function startHealthThread(options: HealthServerOptions, answers: Answers): Promise<{ close: () => Promise<void> }> {
  const thread = new Worker(new URL('./health-worker.ts', import.meta.url), { workerData: options })
  thread.unref()
  const [started] = (await once(thread, 'message')) as [ThreadStarted]
  if (started.kind === 'problem') {
    const { code, syscall } = started
    throw Object.assign(new Error(`the health port ${options.port} cannot be used`), { code, syscall, port: options.port })
  }
  const questions = new Questions({ send: (message) => thread.postMessage(message), answers })
  thread.on('message', (message: Question | Answer) => questions.receive(message))
  const beat: Beat = { kind: 'beat' }
  const beats = setInterval(() => thread.postMessage(beat), BEAT_MS).unref()
  thread.unref()
  return {
    close: async () => {
      clearInterval(beats)
      await thread.terminate()
    },
  }
}
