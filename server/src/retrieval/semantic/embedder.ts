import { setTimeout as sleep } from 'node:timers/promises'
import { type buildConnector, Pool } from 'undici'
import { elapsed } from '../../lib/clock.ts'
import { exchange, type Failure } from '../../lib/exchange.ts'
import { batchesOf, cutText } from './batches.ts'
import { readEmbeddings, type Unusable, type Vector } from './embedding-answer.ts'

/** A model as its server is asked for it. */
export interface ModelChoice {
  readonly name: string
  /** Asked for, and insisted on; undefined: the model's own. */
  readonly dimensions: number | undefined
}

export interface EmbedderSettings {
  /** As `https://api.openai.com/v1`; `/embeddings` follows. */
  readonly url: string
  readonly apiKey: string | undefined
  readonly model: ModelChoice
}

export interface EmbedderDeps {
  /** Opens sockets, to permitted addresses only. */
  readonly connect: buildConnector.connector
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** From 0 up to but not including 1. */
  readonly random: () => number
  /** Ceiling of the first jittered pause, milliseconds; doubles with every retry. */
  readonly backoffMs?: number
}

export interface EmbedOptions {
  /** Another model of the same server than the configured one. */
  readonly model?: ModelChoice
  /** For all of it: waiting, retries, answers. */
  readonly timeoutMs: number
  /** How often each batch is asked for again, at most. */
  readonly retries: number
}

export interface EmbedFailure {
  readonly ok: false
  readonly failure: Failure['failure'] | Unusable
  /** HTTP status; 0 when none was received. */
  readonly status: number
}
export type Embedded = { readonly ok: true; readonly vectors: readonly Vector[] } | EmbedFailure

const CONNECTIONS = 8
/** Of one call: less than there are connections, so that a query finds one free while the background works. */
const CONCURRENT_BATCHES = 2
const MAX_ANSWER_BYTES = 32 * 1_048_576
const KEEP_ALIVE_MS = 4_000
const BACKOFF_MS = 250
const MAX_BACKOFF_MS = 8_000
const TRANSIENT_STATUS = new Set([408, 409, 425, 429])

/** An OpenAI-compatible server's `/embeddings`. A failure is a value; what the server wrote about it is not read. */
export class Embedder {
  readonly model: ModelChoice
  readonly #pool: Pool
  readonly #path: string
  readonly #headers: readonly string[]
  readonly #deps: EmbedderDeps

  constructor({ url, apiKey, model }: EmbedderSettings, deps: EmbedderDeps) {
    const { origin, pathname } = new URL(url)
    this.model = model
    this.#deps = deps
    this.#path = `${pathname.replace(/\/+$/, '')}/embeddings`
    this.#headers = headersOf(apiKey)
    this.#pool = new Pool(origin, {
      connect: deps.connect,
      connections: CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // One deadline for the whole exchange replaces both (lib/exchange.ts).
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /** The vectors of `texts`, in their order; all or none. Texts beyond what a model reads count by their beginning. */
  async embed(texts: readonly string[], options: EmbedOptions): Promise<Embedded> {
    const deadline = elapsed() + options.timeoutMs
    const batches = batchesOf(texts.map(cutText))
    const answers: (readonly Vector[])[] = []
    let failed: EmbedFailure | undefined
    let next = 0
    const work = async (): Promise<void> => {
      while (next < batches.length && !failed) {
        const place = next++
        const answer = await this.#insist(batches[place] ?? [], options, deadline)
        if (answer.ok) answers[place] = answer.vectors
        else failed ??= answer
      }
    }
    await Promise.all(Array.from({ length: CONCURRENT_BATCHES }, work))
    return failed ?? together(answers)
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }

  /** One batch, again and again while that makes sense and time is left. */
  async #insist(texts: readonly string[], { model = this.model, retries }: EmbedOptions, deadline: number): Promise<Embedded> {
    const { random, backoffMs = BACKOFF_MS } = this.#deps
    const body = JSON.stringify({ model: model.name, input: texts, dimensions: model.dimensions })
    for (let retry = 0; ; retry++) {
      const answer = await this.#ask(body, texts.length, model, deadline)
      if (answer.ok || retry >= retries || !isWorthRepeating(answer)) return answer
      const wait = (answer.retryAfterMs ?? 0) + random() * Math.min(backoffMs * 2 ** retry, MAX_BACKOFF_MS)
      if (elapsed() + wait >= deadline) return answer
      await sleep(wait)
    }
  }

  async #ask(
    body: string,
    count: number,
    model: ModelChoice,
    deadline: number,
  ): Promise<Embedded & { readonly retryAfterMs?: number }> {
    const answer = await exchange(this.#pool, {
      method: 'POST',
      path: this.#path,
      headers: this.#headers,
      body,
      timeoutMs: Math.max(1, deadline - elapsed()),
      maxBytes: MAX_ANSWER_BYTES,
      now: this.#deps.now,
    })
    if (!answer.ok) return answer
    const read = readEmbeddings(answer.body, count, model.dimensions)
    return read.ok ? read : { ...read, status: answer.status }
  }
}

function together(answers: readonly (readonly Vector[])[]): Embedded {
  const vectors = answers.flat()
  const length = vectors[0]?.length
  if (vectors.some((vector) => vector.length !== length)) return { ok: false, failure: 'dimensions', status: 200 }
  return { ok: true, vectors }
}

/** A timeout is not: a hang would be paid for twice. */
function isWorthRepeating({ failure, status }: EmbedFailure): boolean {
  if (failure === 'status') return status >= 500 || TRANSIENT_STATUS.has(status)
  return failure === 'connect' || failure === 'reset' || failure === 'truncated' || failure === 'malformed'
}

const headersOf = (apiKey: string | undefined): string[] => [
  'accept',
  'application/json',
  'accept-encoding',
  'identity',
  'content-type',
  'application/json',
  'user-agent',
  'gatehouse',
  ...(apiKey ? ['authorization', `Bearer ${apiKey}`] : []),
]
