import pLimit, { type LimitFunction } from 'p-limit'
import type { Piscina } from 'piscina'
import { createThreadPool } from '../../../platform/lib/thread-pool.ts'
import type { Chunk } from '../chunking/chunk.ts'
import {
  DEFAULT_LIMITS,
  DocumentError,
  megabytes,
  type ParsedDocument,
  type ParseOptions,
  readingMs,
  unreadable,
} from './document.ts'
import type { Task, TaskResult } from './parser-worker.ts'

interface PoolSettings {
  readonly workers: number
  /** An idle thread ends after this time, because it may hold some hundred megabytes. */
  readonly idleMs: number
  /** Memory limit of one thread, including buffers outside the heap. */
  readonly memoryBytes: number
}

const DEFAULTS: PoolSettings = { workers: 2, idleMs: 10_000, memoryBytes: 512 << 20 }
const WATCH_MS = 100

/**
 * Worker threads that parse files. A hostile file can make a parser loop or allocate without bounds; its thread is then ended, the
 * file is refused, and the next file gets a new thread.
 */
export class ParserPool {
  readonly #settings: PoolSettings
  readonly #queue: LimitFunction
  #threads: Promise<Piscina<Task, TaskResult>> | undefined

  constructor(settings: Partial<PoolSettings> = {}) {
    this.#settings = { ...DEFAULTS, ...settings }
    this.#queue = pLimit({ concurrency: this.#settings.workers, rejectOnClear: true })
  }

  async size(): Promise<number> {
    return (await this.#threads)?.threads.length ?? 0
  }

  /** `milliseconds` start when a thread takes the task, not at the call. */
  run<T>(task: Task, milliseconds: number): Promise<T> {
    return this.#queue(() => this.#run(task, milliseconds)) as Promise<T>
  }

  /** Ends all threads and fails their tasks. A later `run` starts new ones. */
  async close(): Promise<void> {
    this.#queue.clearQueue()
    const opened = this.#threads
    this.#threads = undefined
    await (await opened)?.destroy()
  }

  async #run(task: Task, milliseconds: number): Promise<unknown> {
    this.#threads ??= this.#open()
    const opened = this.#threads
    const threads = await opened
    const signal = AbortSignal.timeout(milliseconds)
    let exceeded = false
    const watch = setInterval(async () => {
      exceeded = (await this.#endExceeding(threads)) || exceeded
    }, WATCH_MS)
    try {
      const result = await threads.run(task, { signal })
      if ('value' in result) return result.value
      throw new DocumentError(result.refusal.code, result.refusal.message)
    } catch (error) {
      if (error instanceof DocumentError) throw error
      if (this.#threads !== opened) throw new Error('The parser threads are closed.', { cause: error })
      if (signal.aborted) throw timeoutError(milliseconds)
      throw exceeded || (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY' ? memoryError() : unreadable(error)
    } finally {
      clearInterval(watch)
    }
  }

  #open(): Promise<Piscina<Task, TaskResult>> {
    const { workers, idleMs, memoryBytes } = this.#settings
    const filename = new URL('./parser-worker.ts', import.meta.url).href
    // A second limit for allocations that are faster than the watch below.
    const resourceLimits = { maxOldGenerationSizeMb: Math.ceil((1.5 * memoryBytes) / (1 << 20)) }
    return createThreadPool({ filename, name: 'runTask', maxThreads: workers, idleTimeout: idleMs, resourceLimits })
  }

  /** Ends threads above the memory limit; V8's own limit does not cover buffers outside the heap. Returns whether one was ended. */
  async #endExceeding({ threads }: Piscina): Promise<boolean> {
    let ended = false
    for (const thread of threads) {
      const heap = await thread.getHeapStatistics().catch(() => undefined)
      if (!heap || heap.used_heap_size + heap.external_memory <= this.#settings.memoryBytes) continue
      ended = true
      void thread.terminate()
    }
    return ended
  }
}

const memoryError = (): DocumentError =>
  new DocumentError('too_large', 'Reading the file takes too much memory. Split it, or save it in a simpler form.')

const timeoutError = (ms: number): DocumentError =>
  new DocumentError('timeout', `Reading the file took longer than ${ms / 1000} s. Split it, or save it in a simpler form.`)

const pool = new ParserPool()

/** Parses a file in a worker thread. Throws `DocumentError`. */
export async function parseDocument(bytes: Uint8Array, options: ParseOptions): Promise<ParsedDocument> {
  const limits = { ...DEFAULT_LIMITS, milliseconds: readingMs(bytes.length), ...options.limits }
  // Checked here to avoid copying the file to a worker thread.
  if (bytes.length > limits.bytes) {
    throw new DocumentError('too_large', `The file is larger than ${megabytes(limits.bytes)}. Split it into several files.`)
  }
  return pool.run({ kind: 'parse', bytes, options: { ...options, limits } }, limits.milliseconds)
}

/** `chunkMarkdown` in a worker thread, because counting the tokens of one megabyte takes about 0.3 s. */
export const chunkDocument = (markdown: string): Promise<readonly Chunk[]> =>
  pool.run({ kind: 'chunk', markdown }, readingMs(markdown.length))

/** Ends the worker threads at once instead of after their idle time. */
export const closeParsers = (): Promise<void> => pool.close()
