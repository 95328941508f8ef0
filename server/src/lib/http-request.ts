import type { Dispatcher } from 'undici'
import { elapsed } from './clock.ts'
import { traceHeaders } from './trace-context.ts'

/**
 * How a call went wrong:
 * - `blocked`: the address is not allowed; nothing was sent. `connect`: no connection; nothing was sent.
 * - `reset`: the connection ended before an answer began. `truncated`: it ended within the answer.
 * - `timeout`: not done in time. `aborted`: the caller went away.
 * - `status`: an HTTP status other than 2xx. `malformed`: not a whole, valid answer. `too_large`: beyond the cap.
 */
type FailureKind = 'blocked' | 'connect' | 'reset' | 'truncated' | 'timeout' | 'aborted' | 'status' | 'malformed' | 'too_large'

export interface HttpFailure {
  readonly ok: false
  readonly failure: FailureKind
  /** HTTP status; 0 when none was received. */
  readonly status: number
  /** Of the error that ended the call, where the system gives one: `ENOTFOUND`. */
  readonly code?: string
  /** As the server asked for, unparsed limits: callers bound it. */
  readonly retryAfterMs?: number
  /** Of a `status` failure, if it was asked for and no longer than DISCARD_BYTES: what the server wrote about it. */
  readonly body?: Buffer
}

interface HttpResponse {
  readonly ok: true
  readonly status: number
  readonly body: Buffer
}

interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: readonly string[]
  readonly body: string | null
  /** For the whole exchange: waiting for a connection, headers, body. */
  readonly timeoutMs: number
  /** Longest time without a byte: up to the headers, and between bytes of the body. Default: `timeoutMs`. */
  readonly idleMs?: number
  /** Whether a failure of kind `status` brings its body. Never shown to anybody: it is for closed lists of codes. */
  readonly keepsErrorBody?: boolean
  /** Larger answers are cut off where the cap is reached; memory stays below cap + one chunk. */
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
  /** Milliseconds since the epoch, for a Retry-After that is a date. */
  readonly now: () => number
}

/** The code of the error with which a connector refuses an address, before anything is sent. */
export const ADDRESS_REFUSED = 'ERR_ADDRESS_REFUSED'

/** Error bodies up to this size are read, for this long at most, so that the connection lives on. */
const DISCARD_BYTES = 65_536
const DISCARD_MS = 1_000
const JSON_TYPE = /^(?:application\/(?:[\w.+-]+\+)?json|text\/(?:json|plain))(?:\s*;|\s*$)/i

/**
 * One HTTP exchange that ends in one answer of JSON, as bytes. Never throws, never follows a redirect, never decodes a content
 * encoding: with `identity` asked for, another one is malformed, so a small body cannot unfold into a large one.
 */
export function sendHttpRequest(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpResponse | HttpFailure> {
  if (request.signal?.aborted) return Promise.resolve({ ok: false, failure: 'aborted', status: 0 })
  return new Promise((resolve) => {
    const { method, path, body } = request
    const trace = Object.entries(traceHeaders()).flat()
    const headers = trace.length === 0 ? (request.headers as string[]) : [...request.headers, ...trace]
    dispatcher.dispatch({ method, path, headers, body }, new Exchange(request, resolve))
  })
}

/** undici's own handler interface instead of its streams: this is the gateway's hot path. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest
  readonly #resolve: (result: HttpResponse | HttpFailure) => void
  readonly #startedAt = elapsed()
  #timer: NodeJS.Timeout
  /** When the last byte came; the start, before one did. */
  #heardAt = this.#startedAt
  #controller: Dispatcher.DispatchController | undefined
  #settled = false
  #status = 0
  #size = 0
  /** What an error status came to, while its body is read; whatever happens to that body changes nothing else. */
  #refusal: HttpFailure | undefined
  #first: Buffer | undefined
  #rest: Buffer[] | undefined

  constructor(request: HttpRequest, resolve: (result: HttpResponse | HttpFailure) => void) {
    this.#request = request
    this.#resolve = resolve
    this.#timer = setTimeout(expire, Math.min(this.#idleMs, request.timeoutMs), this)
    request.signal?.addEventListener('abort', this.#onAbort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Given up while it waited for a connection: end it before a byte of it is sent.
    if (this.#settled) this.#cut()
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.#heardAt = elapsed()
    if (status < 200) return // an interim response; the real one follows
    this.#status = status
    if (status > 299) {
      const retryAfterMs = retryAfter(headers, this.#request.now)
      this.#refusal = { ok: false, failure: 'status', status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
      clearTimeout(this.#timer)
      this.#timer = setTimeout(expire, Math.min(DISCARD_MS, this.#request.timeoutMs), this)
    } else if (!isPlainJson(headers)) this.#fail('malformed')
    else if (Number(headers['content-length']) > this.#request.maxBytes) this.#fail('too_large')
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#size += chunk.length
    this.#heardAt = elapsed()
    if (this.#refusal && this.#size > DISCARD_BYTES) this.#fail('too_large')
    else if (this.#refusal && !this.#request.keepsErrorBody) return
    else if (this.#size > this.#request.maxBytes) this.#fail('too_large')
    else if (this.#first === undefined) this.#first = chunk
    else if (this.#rest === undefined) this.#rest = [this.#first, chunk]
    else this.#rest.push(chunk)
  }

  onResponseEnd(): void {
    const body = this.#rest ? Buffer.concat(this.#rest, this.#size) : this.#first
    if (this.#refusal && body) this.#refusal = { ...this.#refusal, body }
    this.#settle(body ? { ok: true, status: this.#status, body } : { ok: false, failure: 'malformed', status: this.#status })
    this.#release()
  }

  onResponseError(_: unknown, error: Error & { code?: unknown }): void {
    const code = typeof error.code === 'string' ? { code: error.code } : {}
    this.#settle({ ok: false, failure: this.#kindOf(error), status: this.#status, ...code })
    this.#release()
  }

  /**
   * Called by the timer. One timer serves both limits: bytes only note their time, and the timer looks at it when it fires, so that
   * a long answer costs no timer for each of its chunks.
   */
  expire(): void {
    const now = elapsed()
    const left = Math.min(this.#startedAt + this.#request.timeoutMs, this.#heardAt + this.#idleMs) - now
    if (this.#refusal || left < 1) this.#fail('timeout')
    else this.#timer = setTimeout(expire, left, this)
  }

  get #idleMs(): number {
    return this.#request.idleMs ?? this.#request.timeoutMs
  }

  readonly #onAbort = (): void => this.#fail('aborted')

  #fail(failure: FailureKind): void {
    this.#settle({ ok: false, failure, status: this.#status })
    this.#cut()
  }

  #settle(result: HttpResponse | HttpFailure): void {
    if (this.#settled) return
    this.#settled = true
    this.#resolve(this.#refusal ?? result)
  }

  #cut(): void {
    this.#release()
    this.#controller?.abort(new Error('given up'))
  }

  #release(): void {
    clearTimeout(this.#timer)
    this.#request.signal?.removeEventListener('abort', this.#onAbort)
    this.#first = this.#rest = undefined
  }

  #kindOf(error: Error & { code?: unknown }): FailureKind {
    if (error.code === ADDRESS_REFUSED) return 'blocked'
    if (!this.#controller) return 'connect'
    const unreadable = error.name === 'HTTPParserError' && error.code !== 'HPE_INVALID_EOF_STATE'
    if (unreadable || error.code === 'UND_ERR_HEADERS_OVERFLOW') return 'malformed'
    return this.#status === 0 ? 'reset' : 'truncated'
  }
}

const expire = (call: Exchange): void => call.expire()

function isPlainJson(headers: Record<string, string | string[] | undefined>): boolean {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') return false
  const type = headers['content-type']
  return type === undefined || (typeof type === 'string' && JSON_TYPE.test(type))
}

/** `retry-after-ms` (OpenAI, Azure) before `Retry-After` in seconds or as a date (RFC 9110 §10.2.3). */
function retryAfter(headers: Record<string, string | string[] | undefined>, now: () => number): number | undefined {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (ms >= 0) return ms
  const text = headers['retry-after']
  if (typeof text !== 'string') return undefined
  const seconds = Number(text)
  if (seconds >= 0) return seconds * 1_000
  const date = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now())
}
