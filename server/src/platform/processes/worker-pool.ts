import type { Logger } from 'pino'
import { elapsed } from '../lib/clock.ts'
import type { StartOrder, StopSignal } from './messages.ts'

/** A serving process that was started. */
export interface Worker {
  /** Unique for each start. */
  readonly id: number
  readonly start: (order: Omit<StartOrder, 'env'>) => void
  readonly stop: (signal: StopSignal) => void
  readonly kill: () => void
}

/** Reports of a new process. */
export interface WorkerEvents {
  readonly onListening: (port: number) => void
  readonly onExit: (code: number | null, signal: string | null) => void
}

interface Options {
  readonly processes: number
  readonly fork: (number: number, events: WorkerEvents) => Worker
  readonly onExit: (id: number) => void
  readonly log: Logger
  /** Pauses before a start that follows failed ones, in milliseconds: the first, and the longest. */
  readonly pauses?: readonly [first: number, longest: number]
}

interface Place {
  readonly number: number
  worker: Worker | undefined
  isListening: boolean
  startedAt: number
  /** Starts in a row that ended soon. */
  failures: number
  timer: NodeJS.Timeout | undefined
}

/** A process that ran this long did not fail because of its start. */
const STABLE_MS = 10_000
/** After so many failed starts in a row, with no process that serves, the node gives up. */
const MAX_FAILURES = 5

/**
 * Keeps the serving processes of a node running. The first one prepares the database; the others start when it listens, so a node
 * with a wrong configuration fails once, with the exit code of that process.
 */
export class WorkerPool {
  readonly #options: Options
  readonly #places: Place[]
  readonly #ended = Promise.withResolvers<number>()
  #port: number | undefined
  #isPrepared = false
  #isStopping = false
  #exitCode = 0
  /** Number of processes that ended without being asked. */
  restarts = 0

  constructor(options: Options) {
    this.#options = options
    this.#places = Array.from({ length: options.processes }, (_, index) => ({
      number: index + 1,
      worker: undefined,
      isListening: false,
      startedAt: 0,
      failures: 0,
      timer: undefined,
    }))
  }

  /** Starts the processes. Resolves with the exit code of the node. */
  run(): Promise<number> {
    const [first] = this.#places
    if (first) this.#start(first)
    return this.#ended.promise
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** The processes that serve, and their places. */
  get serving(): readonly { readonly number: number; readonly worker: Worker }[] {
    return this.#places.flatMap(({ number, worker, isListening }) => (worker && isListening ? [{ number, worker }] : []))
  }

  /** Stops all processes. Those that still run after `limitMs` are ended. */
  stop(signal: StopSignal, limitMs: number): void {
    this.#isStopping = true
    for (const { worker, isListening, timer } of this.#places) {
      clearTimeout(timer)
      // A process that does not serve yet has nothing to finish.
      if (isListening) worker?.stop(signal)
      else worker?.kill()
    }
    setTimeout(() => this.kill(), limitMs).unref()
    this.#endIfEmpty()
  }

  kill(): void {
    for (const { worker } of this.#places) worker?.kill()
  }

  #start(place: Place): void {
    place.startedAt = elapsed()
    place.worker = this.#options.fork(place.number, {
      onListening: (port) => this.#listening(place, port),
      onExit: (code, signal) => this.#exited(place, code, signal),
    })
    place.worker.start({ number: place.number, prepares: !this.#isPrepared, port: this.#port })
  }

  #listening(place: Place, port: number): void {
    place.isListening = true
    this.#port = port
    if (this.#isPrepared || this.#isStopping) return
    this.#isPrepared = true
    for (const other of this.#places) if (other !== place) this.#start(other)
  }

  #exited(place: Place, code: number | null, signal: string | null): void {
    const { isListening } = place
    if (place.worker) this.#options.onExit(place.worker.id)
    place.worker = undefined
    place.isListening = false
    if (this.#isStopping) {
      if (isListening && code !== 0) this.#exitCode = 1
      this.#endIfEmpty()
    } else if (this.#isPrepared) {
      const ranStable = isListening && elapsed() - place.startedAt >= STABLE_MS
      place.failures = ranStable ? 0 : place.failures + 1
      this.#replace(place, { code, signal }, isListening)
    } else {
      // The process has printed the reason.
      this.#ended.resolve(code ?? 1)
    }
  }

  #replace(place: Place, end: { code: number | null; signal: string | null }, wasListening: boolean): void {
    const { log } = this.#options
    this.restarts += 1
    if (this.serving.length === 0 && !wasListening && place.failures >= MAX_FAILURES) {
      log.fatal({ ended: place.number, ...end }, 'no process of this node can start: the node ends')
      this.#isStopping = true
      this.kill()
      this.#ended.resolve(1)
      return
    }
    const pause = this.#pauseAfter(place.failures)
    log.error({ ended: place.number, ...end, pause_ms: pause }, 'a process has ended: it is started again')
    place.timer = setTimeout(() => this.#start(place), pause)
  }

  /** A process that ran for long is replaced at once. */
  #pauseAfter(failures: number): number {
    const [first, longest] = this.#options.pauses ?? [500, 30_000]
    return failures === 0 ? 0 : Math.min(longest, first * 2 ** (failures - 1))
  }

  #endIfEmpty(): void {
    if (this.#isStopping && this.#places.every(({ worker }) => worker === undefined)) this.#ended.resolve(this.#exitCode)
  }
}
