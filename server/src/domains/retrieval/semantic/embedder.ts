import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { type buildConnector, Pool } from 'undici'
import { elapsed } from '../../../platform/lib/clock.ts'
import { type HttpFailure, JSON_HEADERS, mayHaveArrived, sendHttpRequest } from '../../../platform/lib/http-request.ts'
import { doublingDelay } from '../../../platform/queue/retry-delays.ts'
import type { ServiceCall } from '../../../shared/service-call.ts'
import type { SearchService, ServiceLimits } from '../service-limits.ts'

export interface ModelChoice {
  readonly name: string
  /** Required number of dimensions; undefined: the model's default. */
  readonly dimensions: number | undefined
}

export interface EmbedderSettings {
  /** Such as `https://api.openai.com/v1`; `/embeddings` is appended. */
  readonly url: string
  readonly apiKey: string | undefined
  readonly model: ModelChoice
  readonly limits?: ServiceLimits
}

export interface EmbedderDeps {
  /** Opens sockets to permitted addresses only. */
  readonly connect: buildConnector.connector
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** From 0 up to, but not including, 1. */
  readonly random: () => number
  /** Maximum of the first jittered pause, milliseconds; doubles with each retry. */
  readonly backoffMs?: number
}

export interface EmbedOptions {
  /** Another model of the same server than the configured one. */
  readonly model?: ModelChoice
  /** For the whole call, retries included. */
  readonly timeoutMs: number
  /** Maximum retries of each batch. */
  readonly retries: number
}

export interface EmbedFailure {
  readonly ok: false
  readonly failure: HttpFailure['failure'] | InvalidEmbeddings
  /** HTTP status; 0 when none was received. */
  readonly status: number
  /** Whether the server may have received a text. */
  readonly mayHaveArrived: boolean
}
export type Embedded = { readonly ok: true; readonly vectors: readonly Vector[] } | EmbedFailure

const CONNECTIONS = 8
/** For one call. Fewer than CONNECTIONS, so that queries find a free connection while the job embeds. */
const CONCURRENT_BATCHES = 2
const MAX_RESPONSE_BYTES = 32 * 1_048_576
const KEEP_ALIVE_MS = 4_000
const BACKOFF_MS = 250
const MAX_BACKOFF_MS = 8_000
const TRANSIENT_STATUS = new Set([408, 409, 425, 429])

/** Client of an OpenAI-compatible `/embeddings` endpoint. Returns failures as values, without the server's error text. */
export class Embedder {
  readonly model: ModelChoice
  readonly service: SearchService
  readonly #pool: Pool
  readonly #path: string
  readonly #headers: readonly string[]
  readonly #deps: EmbedderDeps

  constructor({ url, apiKey, model, limits }: EmbedderSettings, deps: EmbedderDeps) {
    const { host, origin, pathname } = new URL(url)
    this.model = model
    this.service = { service: 'embedder', host, model: model.name, limits }
    this.#deps = deps
    this.#path = `${pathname.replace(/\/+$/, '')}/embeddings`
    this.#headers = apiKey ? [...JSON_HEADERS, 'authorization', `Bearer ${apiKey}`] : JSON_HEADERS
    this.#pool = new Pool(origin, {
      connect: deps.connect,
      connections: CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // One deadline for request and response replaces both (platform/lib/http-request.ts).
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /** The vectors of all `texts` in their order, or a failure. Long texts are embedded by their beginning. */
  async embed(texts: readonly string[], options: EmbedOptions): Promise<Embedded> {
    const deadline = elapsed() + options.timeoutMs
    const inTurn = pLimit(CONCURRENT_BATCHES)
    let failed: EmbedFailure | undefined
    let mayHaveArrived = false
    const embedNext = async (batch: readonly string[]): Promise<readonly Vector[]> => {
      const result = failed ?? (await this.#embedBatch(batch, options, deadline))
      mayHaveArrived ||= result.ok || result.mayHaveArrived
      if (result.ok) return result.vectors
      failed ??= result
      return []
    }
    const batches = batchesOf(texts.map(cutText))
    const vectors = (await Promise.all(batches.map((batch) => inTurn(embedNext, batch)))).flat()
    return failed ? { ...failed, mayHaveArrived } : ofOneLength(vectors)
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }

  /** Embeds one batch, with retries of transient failures until the deadline. */
  async #embedBatch(
    texts: readonly string[],
    { model = this.model, retries }: EmbedOptions,
    deadline: number,
  ): Promise<Embedded> {
    const { random, backoffMs = BACKOFF_MS } = this.#deps
    const body = JSON.stringify({ model: model.name, input: texts, dimensions: model.dimensions })
    for (let retry = 0, arrived = false; ; retry++) {
      const sent = await this.#send(body, texts.length, model, deadline)
      if (sent.ok) return sent
      arrived ||= sent.mayHaveArrived
      const result = { ...sent, mayHaveArrived: arrived }
      if (retry >= retries || !isTransient(result)) return result
      const wait = (result.retryAfterMs ?? 0) + random() * doublingDelay(retry + 1, { firstMs: backoffMs, maxMs: MAX_BACKOFF_MS })
      if (elapsed() + wait >= deadline) return result
      await sleep(wait)
    }
  }

  async #send(
    body: string,
    count: number,
    model: ModelChoice,
    deadline: number,
  ): Promise<Embedded & { readonly retryAfterMs?: number }> {
    const response = await sendHttpRequest(this.#pool, {
      method: 'POST',
      path: this.#path,
      headers: this.#headers,
      body,
      timeoutMs: Math.max(1, deadline - elapsed()),
      maxBytes: MAX_RESPONSE_BYTES,
      now: this.#deps.now,
    })
    if (response.ok) return parseEmbeddings(response, count, model.dimensions)
    return { ...response, mayHaveArrived: mayHaveArrived(response) }
  }
}

/** A response with the status 2xx whose vectors cannot be used. */
export const invalid = (failure: InvalidEmbeddings, status = 200): EmbedFailure => ({
  ok: false,
  failure,
  status,
  mayHaveArrived: true,
})

/** For the audit record. */
export const outcomeOf = (result: { readonly ok: true } | EmbedFailure): Pick<ServiceCall, 'outcome' | 'status'> =>
  result.ok ? { outcome: 'ok', status: 200 } : { outcome: result.failure, status: result.status }

function ofOneLength(vectors: readonly Vector[]): Embedded {
  const length = vectors[0]?.length
  if (vectors.some((vector) => vector.length !== length)) return invalid('dimensions')
  return { ok: true, vectors }
}

/** Whether a retry can help. Timeouts are not retried, because a hanging server would take twice the time. */
function isTransient({ failure, status }: Pick<EmbedFailure, 'failure' | 'status'>): boolean {
  if (failure === 'status') return status >= 500 || TRANSIENT_STATUS.has(status)
  return failure === 'connect' || failure === 'reset' || failure === 'truncated' || failure === 'malformed'
}

/** Most servers accept this many texts at once, and some accept no more. */
export const BATCH_TEXTS = 32
const BATCH_TOKENS = 16_000
/** Only the beginning of a longer text is embedded; large models read about this many tokens. */
const TEXT_TOKENS = 8_000
/** Bytes of UTF-8, a cautious estimate: English has four to five, Chinese about three. */
const BYTES_PER_TOKEN = 3

const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)

/** The beginning of `text` that a model reads. Never splits a surrogate pair. */
export function cutText(text: string): string {
  const most = TEXT_TOKENS * BYTES_PER_TOKEN
  if (Buffer.byteLength(text) <= most) return text
  let kept = text.slice(0, most)
  while (Buffer.byteLength(kept) > most) kept = kept.slice(0, Math.floor((kept.length * most) / Buffer.byteLength(kept)))
  return kept.isWellFormed() ? kept : kept.slice(0, -1)
}

/** Groups texts in their order into batches with limited numbers of texts and tokens. */
export function batchesOf(texts: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = []
  let tokens = Number.POSITIVE_INFINITY
  for (const text of texts) {
    const last = batches.at(-1)
    const own = tokensOf(text)
    if (last && last.length < BATCH_TEXTS && tokens + own <= BATCH_TOKENS) {
      last.push(text)
      tokens += own
    } else {
      batches.push([text])
      tokens = own
    }
  }
  return batches
}

/** The embedding of a text: a unit vector. */
export type Vector = Float32Array

/** malformed: invalid response. dimensions: wrong vector length. unusable: a zero or infinite vector. */
export type InvalidEmbeddings = 'malformed' | 'dimensions' | 'unusable'

/**
 * Parses the vectors of a response, in the order of the texts. Fails if a vector is missing, contains a value that is not a finite
 * number, or does not have `dimensions` values. If `dimensions` is undefined, all vectors must have the same length.
 */
function parseEmbeddings(
  { body, status }: { readonly body: Buffer; readonly status: number },
  count: number,
  dimensions: number | undefined,
): Embedded {
  const data = parseData(body)
  if (data?.length !== count) return invalid('malformed', status)
  const vectors: Vector[] = []
  let length = dimensions
  for (const [place, item] of data.entries()) {
    const { index = place, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown }
    if (!isValidIndex(index, count) || vectors[index] || !Array.isArray(embedding)) return invalid('malformed', status)
    length ??= embedding.length
    if (embedding.length !== length || length === 0) return invalid('dimensions', status)
    const vector = toUnit(embedding)
    if (!vector) return invalid('unusable', status)
    vectors[index] = vector
  }
  return { ok: true, vectors }
}

function parseData(body: Buffer): readonly unknown[] | undefined {
  try {
    const { data } = JSON.parse(body.toString('utf8')) as { data?: unknown }
    return Array.isArray(data) ? data : undefined
  } catch {
    return undefined
  }
}

const isValidIndex = (index: unknown, count: number): index is number =>
  typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < count

/** Scales to length 1, so that no value is too large for half precision. Returns undefined for zero, infinite or non-numeric vectors. */
function toUnit(values: readonly unknown[]): Vector | undefined {
  let squares = 0
  for (const value of values) {
    if (typeof value !== 'number') return undefined
    squares += value * value
  }
  const length = Math.sqrt(squares)
  // JSON has no NaN, but 1e999 parses as infinite.
  return Number.isFinite(length) && length > 0 ? Float32Array.from(values as number[], (value) => value / length) : undefined
}
