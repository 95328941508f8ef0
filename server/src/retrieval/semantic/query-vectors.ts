import { createHash } from 'node:crypto'
import { Cache } from '../../lib/cache.ts'
import { elapsed } from '../../lib/clock.ts'
import type { Partition } from '../partition.ts'
import { cutText } from './batches.ts'
import type { Embedder, EmbedFailure } from './embedder.ts'
import type { Vector } from './embedding-answer.ts'
import { choiceOf, type EmbeddingModel } from './model-store.ts'

export interface QueryReports {
  /** Called for each search that goes by words alone because the embedder did not answer; the reason has few values. */
  readonly onFallback: (reason: string) => void
  /** Called when the embedder stops answering, and when it answers again: not for every query. */
  readonly onProblem: (text: string) => void
}

/** A caller waits for it: shorter than what a person notices as broken, long enough for a cold model on the same machine. */
const TIMEOUT_MS = 1_500
const RETRIES = 1
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000
/** So that all pages of one search keep one order, also when the embedder comes or goes in between. */
const REMEMBERED = { maxAgeMs: 30_000, maxEntries: 200 }

/** Turns queries into vectors, in time or not at all. While the embedder fails it is asked only now and then. */
export class QueryVectors {
  readonly #embedder: Embedder
  readonly #reports: QueryReports
  readonly #pending = new Map<string, () => Promise<Vector | undefined>>()
  readonly #known = new Cache<Vector | undefined>((key) => this.#pending.get(key)?.() ?? Promise.resolve(undefined), REMEMBERED)
  #failures = 0
  #pausedUntil = 0

  constructor(embedder: Embedder, reports: QueryReports) {
    this.#embedder = embedder
    this.#reports = reports
  }

  /**
   * undefined: search by words alone. Remembered for callers who see exactly the same only: how fast an answer comes tells
   * nobody what others have asked.
   */
  async vectorOf(model: EmbeddingModel, partitions: readonly Partition[], query: string): Promise<Vector | undefined> {
    const text = cutText(query)
    const key = JSON.stringify([model.id, digest(partitions), text])
    this.#pending.set(key, () => this.#ask(model, text))
    const vector = this.#known.get(key)
    this.#pending.delete(key)
    const known = await vector
    if (!known) this.#reports.onFallback('embedder')
    return known
  }

  async #ask(model: EmbeddingModel, text: string): Promise<Vector | undefined> {
    if (this.#failures > 0) {
      if (elapsed() < this.#pausedUntil) return undefined
      this.#pause() // one asks whether it is back, the others do not wait for that
    }
    const answer = await this.#embedder.embed([text], { model: choiceOf(model), timeoutMs: TIMEOUT_MS, retries: RETRIES })
    if (!answer.ok) return this.#failed(answer)
    const [vector] = answer.vectors
    if (vector?.length !== model.dimensions) return this.#failed({ ok: false, failure: 'dimensions', status: 200 })
    if (this.#failures > 0) this.#reports.onProblem('the embedder answers again')
    this.#failures = 0
    return vector
  }

  #failed({ failure, status }: EmbedFailure): undefined {
    if (this.#failures === 0) {
      const why = status >= 300 ? `status ${status}` : failure
      this.#reports.onProblem(`the embedder does not answer queries (${why}): search goes by words alone until it does`)
    }
    this.#failures++
    this.#pause()
  }

  #pause(): void {
    this.#pausedUntil = elapsed() + Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), MAX_PAUSE_MS)
  }
}

const digest = (partitions: readonly Partition[]): string =>
  createHash('sha256')
    .update(
      partitions
        .map(({ id }) => id)
        .sort((a, b) => a - b)
        .join(),
    )
    .digest('base64')
