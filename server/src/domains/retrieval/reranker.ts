import { type buildConnector, Pool } from 'undici'
import { elapsed } from '../../platform/lib/clock.ts'
import { type HttpFailure, JSON_HEADERS, mayHaveArrived, sendHttpRequest } from '../../platform/lib/http-request.ts'
import { RETRY_DELAYS, RetryPause } from '../../platform/queue/retry-delays.ts'
import { callOf, type ReportCall, type SearchService, type ServiceLimits } from './service-limits.ts'

export interface RerankerSettings {
  /** Such as `https://api.cohere.com/v2`; `/rerank` is appended. */
  readonly url: string
  readonly apiKey: string | undefined
  readonly model: string
  readonly limits?: ServiceLimits
}

export interface RerankerDeps {
  /** Opens sockets to permitted addresses only. */
  readonly connect: buildConnector.connector
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Called when the server fails and when it recovers, not for each query. */
  readonly onProblem: (text: string) => void
  readonly timeoutMs?: number
}

/** Texts of one request. */
export const RERANKED = 32
/** Characters of a text, and of a query. */
const MAX_TEXT = 4_000
/** A request waits for it. */
const TIMEOUT_MS = 1_500
const MAX_RESPONSE_BYTES = 1_048_576
const CONNECTIONS = 8
const KEEP_ALIVE_MS = 4_000

/** Client of a `/rerank` endpoint in the form of Cohere, which Jina, Voyage, vLLM and others also have. */
export class Reranker {
  readonly service: SearchService
  readonly #pool: Pool
  readonly #path: string
  readonly #headers: readonly string[]
  readonly #deps: RerankerDeps
  readonly #pause = new RetryPause(RETRY_DELAYS.queryEmbedding)

  constructor({ url, apiKey, model, limits }: RerankerSettings, deps: RerankerDeps) {
    const { host, origin, pathname } = new URL(url)
    this.service = { service: 'reranker', host, model, limits }
    this.#deps = deps
    this.#path = `${pathname.replace(/\/+$/, '')}/rerank`
    this.#headers = apiKey ? [...JSON_HEADERS, 'authorization', `Bearer ${apiKey}`] : JSON_HEADERS
    // One deadline for request and response replaces both timeouts (platform/lib/http-request.ts).
    const timeouts = { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: 0, bodyTimeout: 0 }
    this.#pool = new Pool(origin, { connect: deps.connect, connections: CONNECTIONS, pipelining: 1, ...timeouts })
  }

  /** The indices of the texts, the best first. Undefined if the server fails: the search keeps its own order. */
  async order(query: string, texts: readonly string[], reportCall?: ReportCall): Promise<readonly number[] | undefined> {
    if (this.#pause.isActive) return void reportCall?.(callOf(this.service, { outcome: 'paused' }))
    // One query tests whether the server has recovered; other queries do not wait for it.
    this.#pause.restart()
    const startedAt = elapsed()
    const documents = texts.map((text) => text.slice(0, MAX_TEXT).toWellFormed())
    const response = await sendHttpRequest(this.#pool, {
      method: 'POST',
      path: this.#path,
      headers: this.#headers,
      body: JSON.stringify({
        model: this.service.model,
        query: query.slice(-MAX_TEXT).toWellFormed(),
        documents,
        top_n: documents.length,
      }),
      timeoutMs: this.#deps.timeoutMs ?? TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
      now: this.#deps.now,
    })
    const order = response.ok ? parseOrder(response.body, texts.length) : undefined
    const failure = response.ok ? 'malformed' : response.failure
    const { status } = response
    const sent = mayHaveArrived(response) ? texts.length : 0
    reportCall?.(callOf(this.service, { outcome: order ? 'ok' : failure, ms: elapsed() - startedAt, status, texts: sent }))
    if (!order) return this.#failed({ failure, status })
    if (this.#pause.hasFailed) this.#deps.onProblem('the reranker responds again')
    this.#pause.succeeded()
    return order
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }

  #failed({ failure, status }: Pick<HttpFailure, 'failure' | 'status'>): undefined {
    if (!this.#pause.hasFailed) {
      const reason = status >= 300 ? `status ${status}` : failure
      this.#deps.onProblem(`the reranker does not respond (${reason}): searches keep their own order until it recovers`)
    }
    this.#pause.failed()
  }
}

/** Texts that the response leaves out come last, in their order. Undefined for an invalid response. */
function parseOrder(body: Buffer, count: number): readonly number[] | undefined {
  const results = parseResults(body)
  if (!results) return undefined
  const scores = new Map<number, number>()
  for (const result of results) {
    const { index, relevance_score: score } = (result ?? {}) as { index?: unknown; relevance_score?: unknown }
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || scores.has(index))
      return undefined
    if (typeof score !== 'number' || !Number.isFinite(score)) return undefined
    scores.set(index, score)
  }
  const scoreOf = (index: number): number => scores.get(index) ?? Number.NEGATIVE_INFINITY
  return Array.from({ length: count }, (_, index) => index).sort((a, b) => {
    const [first, second] = [scoreOf(a), scoreOf(b)]
    return first === second ? a - b : second - first
  })
}

function parseResults(body: Buffer): readonly unknown[] | undefined {
  try {
    const { results } = JSON.parse(body.toString('utf8')) as { results?: unknown }
    return Array.isArray(results) ? results : undefined
  } catch {
    return undefined
  }
}
