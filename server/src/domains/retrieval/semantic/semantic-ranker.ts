import { createHash } from 'node:crypto'
import type { Db } from '../../../platform/db/database.ts'
import { Cache } from '../../../platform/lib/cache.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { RETRY_DELAYS, RetryPause } from '../../../platform/queue/retry-delays.ts'
import type { Partition } from '../partition.ts'
import { callOf, type ReportCall, type SearchService } from '../service-limits.ts'
import { cutText, type Embedder, type EmbedFailure, invalid, outcomeOf, type Vector } from './embedder.ts'
import { choiceOf, type EmbeddingModel, findReadyModel } from './model-store.ts'
import type { SemanticQuery } from './nearest.ts'

export interface SemanticRanker {
  /** The embedder. */
  readonly service: SearchService
  /** Embeds a query of a viewer who sees these partitions. Returns undefined if no model is ready or the embedder fails. */
  prepare(query: string, partitions: readonly Partition[], reportCall?: ReportCall): Promise<SemanticQuery | undefined>
}

export interface SemanticRankerDeps extends QueryReports {
  readonly db: Db
  readonly embedder: Embedder
}

/** Ranks by the vectors of the ready model. Requires a database that `prepareVectors` has prepared. */
export function createSemanticRanker({ db, embedder, ...reports }: SemanticRankerDeps): SemanticRanker {
  const models = new Cache<EmbeddingModel | undefined>(() => findReadyModel(db), { maxEntries: 1 })
  const queries = new QueryVectors(embedder, reports)
  return {
    service: embedder.service,
    async prepare(query, partitions, reportCall) {
      if (partitions.length === 0 || query.trim() === '') return undefined
      const model = await models.get('')
      const vector = model && (await queries.vectorOf(model, partitions, query, reportCall))
      return vector && { model, vector }
    },
  }
}

export interface QueryReports {
  /** Called for each search that is lexical only because the embedder failed. The reason has few values. */
  readonly onFallback: (reason: string) => void
  /** Called when the embedder fails and when it recovers, not for each query. */
  readonly onProblem: (text: string) => void
}

/** Short, because a request waits for it; long enough for a cold model on the same machine. */
const TIMEOUT_MS = 1_500
const RETRIES = 1
/** Keeps the order of all pages of a search equal, even if the embedder fails or recovers in between. */
const CACHE_LIMITS = { maxAgeMs: 30_000, maxEntries: 200 }

type Report = (of: Parameters<typeof callOf>[1]) => void

/** Embeds queries within a time limit. While the embedder fails, only some queries try it. */
class QueryVectors {
  readonly #embedder: Embedder
  readonly #reports: QueryReports
  readonly #pending = new Map<string, () => Promise<Vector | undefined>>()
  readonly #cache = new Cache<Vector | undefined>((key) => this.#load(key), CACHE_LIMITS)
  readonly #pause = new RetryPause(RETRY_DELAYS.queryEmbedding)

  constructor(embedder: Embedder, reports: QueryReports) {
    this.#embedder = embedder
    this.#reports = reports
  }

  /**
   * Returns undefined if the search must be lexical only. Cached vectors are shared only by viewers that see the same partitions, so
   * that response times reveal nothing about other users' queries.
   */
  async vectorOf(
    model: EmbeddingModel,
    partitions: readonly Partition[],
    query: string,
    reportCall: ReportCall = () => {},
  ): Promise<Vector | undefined> {
    const report: Report = (of) => reportCall(callOf({ ...this.#embedder.service, model: model.name }, of))
    const text = cutText(query)
    const key = JSON.stringify([model.id, digest(partitions), text])
    this.#pending.set(key, () => this.#embed(model, text, report))
    const vector = this.#cache.get(key)
    // Loading takes the function away at once.
    if (this.#pending.delete(key)) report({ outcome: 'cached' })
    const result = await vector
    if (!result) this.#reports.onFallback('embedder')
    return result
  }

  async #load(key: string): Promise<Vector | undefined> {
    const embed = this.#pending.get(key)
    this.#pending.delete(key)
    return embed?.()
  }

  async #embed(model: EmbeddingModel, text: string, report: Report): Promise<Vector | undefined> {
    if (this.#pause.isActive) return void report({ outcome: 'paused' })
    // One query tests whether the embedder has recovered; other queries do not wait for it.
    this.#pause.restart()
    const startedAt = elapsed()
    const embedded = await this.#embedder.embed([text], { model: choiceOf(model), timeoutMs: TIMEOUT_MS, retries: RETRIES })
    const result = embedded.ok && embedded.vectors[0]?.length !== model.dimensions ? invalid('dimensions') : embedded
    report({ ...outcomeOf(result), ms: elapsed() - startedAt, texts: result.ok || result.mayHaveArrived ? 1 : 0 })
    if (!result.ok) return this.#failed(result)
    const [vector] = result.vectors
    if (this.#pause.hasFailed) this.#reports.onProblem('the embedder responds again')
    this.#pause.succeeded()
    return vector
  }

  #failed({ failure, status }: EmbedFailure): undefined {
    if (!this.#pause.hasFailed) {
      const reason = status >= 300 ? `status ${status}` : failure
      this.#reports.onProblem(`the embedder cannot embed queries (${reason}): searches are lexical only until it recovers`)
    }
    this.#pause.failed()
  }
}

function digest(partitions: readonly Partition[]): string {
  const seen = partitions.toSorted((a, b) => a.id - b.id).map(({ id, filter }) => [id, filter])
  return createHash('sha256').update(JSON.stringify(seen)).digest('base64')
}
