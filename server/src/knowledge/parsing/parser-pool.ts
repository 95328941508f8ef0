import { Worker } from 'node:worker_threads'
import { DocumentError, unreadable } from './document.ts'
import type { Answer, Task } from './parser-worker.ts'

export interface PoolSettings {
  readonly workers: number
  /** A worker that has had nothing to do for this long ends; it holds up to some hundred megabytes. */
  readonly idleMs: number
  /** What one worker may use, buffers outside the heap included. */
  readonly memoryBytes: number
}

const DEFAULTS: PoolSettings = { workers: 2, idleMs: 30_000, memoryBytes: 512 << 20 }
const WATCH_MS = 100

interface Job {
  readonly task: Task
  readonly milliseconds: number
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

interface Lane {
  readonly worker: Worker
  job: Job | undefined
  timers: NodeJS.Timeout[]
}

/**
 * Threads that read files. Whatever a hostile file does to its reader, a loop without end or memory without bounds, happens there:
 * the thread is killed, the file refused, and the next file gets a new thread.
 */
export class ParserPool {
  readonly #settings: PoolSettings
  readonly #lanes = new Set<Lane>()
  readonly #waiting: Job[] = []

  constructor(settings: Partial<PoolSettings> = {}) {
    this.#settings = { ...DEFAULTS, ...settings }
  }

  /** How many threads there are at the moment. */
  get size(): number {
    return this.#lanes.size
  }

  /** Time counts from when a thread takes the task up, not from when it is asked for. */
  run<T>(task: Task, milliseconds: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ task, milliseconds, resolve, reject })
      this.#next()
    })
  }

  /** Ends all threads; what they had not finished fails. A later `run` starts anew. */
  async close(): Promise<void> {
    const closed = new Error('The parsers are shut down.')
    for (const job of this.#waiting.splice(0)) job.reject(closed)
    await Promise.all([...this.#lanes].map((lane) => this.#end(lane, closed)))
  }

  #next(): void {
    const free = [...this.#lanes].find((lane) => !lane.job)
    if (this.#waiting.length === 0 || (!free && this.#lanes.size >= this.#settings.workers)) return
    const job = this.#waiting.shift()
    if (job) this.#start(free ?? this.#open(), job)
  }

  #open(): Lane {
    const worker = new Worker(new URL('./parser-worker.ts', import.meta.url), {
      execArgv: [],
      // A file's reader has no business with the server's secrets.
      env: {},
      // The watch below is what counts; this is for what outruns it.
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil((1.5 * this.#settings.memoryBytes) / (1 << 20)) },
    })
    const lane: Lane = { worker, job: undefined, timers: [] }
    worker.on('message', (answer: Answer) => this.#finish(lane, answer))
    worker.on('error', (error) => {
      const outOfMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
      void this.#end(lane, outOfMemory ? tooMuchMemory() : unreadable(error))
    })
    worker.on('exit', () => void this.#end(lane, unreadable(new Error('The thread ended.'))))
    this.#lanes.add(lane)
    return lane
  }

  #start(lane: Lane, job: Job): void {
    this.#rest(lane)
    lane.job = job
    lane.worker.ref()
    const late = () => {
      const message = `Reading the file took longer than ${job.milliseconds / 1000} s. Split it, or save it in a simpler form.`
      void this.#end(lane, new DocumentError('timeout', message))
    }
    lane.timers = [setTimeout(late, job.milliseconds), setInterval(() => void this.#watch(lane), WATCH_MS)]
    lane.worker.postMessage(job.task)
  }

  /** V8's own limit knows the heap only, and most of what unfolds lies in buffers beside it. */
  async #watch(lane: Lane): Promise<void> {
    const heap = await lane.worker.getHeapStatistics().catch(() => undefined)
    if (heap && heap.used_heap_size + heap.external_memory > this.#settings.memoryBytes) await this.#end(lane, tooMuchMemory())
  }

  #finish(lane: Lane, answer: Answer): void {
    const { job } = lane
    this.#rest(lane)
    lane.job = undefined
    lane.worker.unref()
    lane.timers = [setTimeout(() => void this.#end(lane), this.#settings.idleMs).unref()]
    if ('value' in answer) job?.resolve(answer.value as never)
    else job?.reject(new DocumentError(answer.refusal.code, answer.refusal.message))
    this.#next()
  }

  async #end(lane: Lane, reason?: Error): Promise<void> {
    if (!this.#lanes.delete(lane)) return
    this.#rest(lane)
    if (reason) lane.job?.reject(reason)
    lane.job = undefined
    await lane.worker.terminate()
    this.#next()
  }

  #rest(lane: Lane): void {
    for (const timer of lane.timers.splice(0)) clearTimeout(timer)
  }
}

function tooMuchMemory(): DocumentError {
  return new DocumentError(
    'too_large',
    'Reading the file takes more memory than allowed. Split it, or save it in a simpler form.',
  )
}
