import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import type { Environment } from '../config/environment.ts'
import { elapsed } from '../lib/clock.ts'
import { ANSWER_MS, type ProcessReport, type StopSignal, type ToPrimary, type Topic, type ToWorker } from './messages.ts'
import { Questions } from './questions.ts'

interface Place {
  readonly number: number
  worker?: Worker | undefined
  questions?: Questions
  isServing: boolean
  startedAt: number
  restarts: number
  /** Starts in a row that ended soon. */
  failures: number
  timer?: NodeJS.Timeout
}

/** A process that ran this long did not fail because of its start. */
const STABLE_MS = 10_000
/** Pause after the first failed start; it doubles with each further one. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** After so many failed starts in a row, with no process that serves, the node gives up. */
const MAX_FAILURES = 5

/** Keeps the serving processes running. The others start when the first listens, so a wrong configuration fails once. */
export class WorkerPool {
  readonly #log: Logger
  readonly #places: readonly Place[]
  readonly #ended = Promise.withResolvers<number>()
  env: Environment
  isStopping = false
  #isPrepared = false
  #exitCode = 0

  constructor(processes: number, env: Environment, log: Logger) {
    this.env = env
    this.#log = log
    const idle = { isServing: false, startedAt: 0, restarts: 0, failures: 0 }
    this.#places = Array.from({ length: processes }, (_, index) => ({ ...idle, number: index + 1 }))
  }

  /** Starts the processes. Resolves with the exit code of the node. */
  run(): Promise<number> {
    if (this.#places[0]) this.#start(this.#places[0])
    return this.#ended.promise
  }

  reload(env: Environment): void {
    this.env = env
    for (const { worker } of this.#places) send(worker, { kind: 'reload', env })
  }

  /** Stops all processes. Those that still run after `limitMs` are killed. */
  stop(signal: StopSignal, limitMs: number): void {
    this.isStopping = true
    for (const { worker, isServing, timer } of this.#places) {
      clearTimeout(timer)
      // A process that does not serve yet has nothing to finish.
      if (isServing) send(worker, { kind: 'stop', signal })
      else worker?.process.kill('SIGKILL')
    }
    setTimeout(() => this.kill(), limitMs).unref()
    this.#endIfEmpty()
  }

  kill(): void {
    for (const { worker } of this.#places) worker?.process.kill('SIGKILL')
  }

  #start(place: Place): void {
    const worker = cluster.fork()
    const questions = new Questions({ send: (message) => send(worker, message), answer: (topic) => this.#askAll(topic) })
    Object.assign(place, { worker, questions, startedAt: elapsed() })
    worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'listening') this.#handleListening(place)
      else void questions.receive(message)
    })
    worker.on('error', () => {})
    worker.on('exit', (code, signal) => this.#handleExit(place, { code, signal }))
    const { number } = place
    send(worker, { kind: 'start', number, processes: this.#places.length, prepares: !this.#isPrepared, env: this.env })
  }

  #handleListening(place: Place): void {
    place.isServing = true
    if (this.#isPrepared || this.isStopping) return
    this.#isPrepared = true
    for (const other of this.#places) if (other !== place) this.#start(other)
  }

  #handleExit(place: Place, end: { readonly code: number | null; readonly signal: string | null }): void {
    const { isServing: wasServing } = place
    Object.assign(place, { worker: undefined, isServing: false })
    if (this.isStopping) {
      if (wasServing && end.code !== 0) this.#exitCode = 1
      this.#endIfEmpty()
    } else if (this.#isPrepared) {
      const ranStable = wasServing && elapsed() - place.startedAt >= STABLE_MS
      place.failures = ranStable ? 0 : place.failures + 1
      this.#replace(place, end)
    } else {
      // The process has printed the reason.
      this.#ended.resolve(end.code ?? 1)
    }
  }

  #replace(place: Place, end: object): void {
    const { number, failures } = place
    if (failures >= MAX_FAILURES && this.#places.every(({ isServing }) => !isServing)) {
      this.#log.fatal({ ended: number, ...end }, 'no process of this node can start: the node ends')
      this.isStopping = true
      this.kill()
      this.#ended.resolve(1)
      return
    }
    // A process that ran for long is replaced at once.
    const pause = failures === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1))
    this.#log.error({ ended: number, ...end, pause_ms: pause }, 'a process has ended: it is started again')
    place.restarts += 1
    place.timer = setTimeout(() => this.#start(place), pause)
  }

  #askAll(topic: Topic): Promise<readonly ProcessReport<unknown>[]> {
    const asked = this.#places.map(async ({ number, isServing, restarts, questions }) => {
      const answer = isServing ? await questions?.ask(topic, ANSWER_MS[topic]) : undefined
      return { number, isServing, restarts, answer }
    })
    return Promise.all(asked)
  }

  #endIfEmpty(): void {
    if (this.#places.every(({ worker }) => worker === undefined)) this.#ended.resolve(this.#exitCode)
  }
}

/** A process that has ended gets no message. */
function send(worker: Worker | undefined, message: ToWorker): void {
  if (worker?.isConnected()) worker.send(message, () => {})
}
