import type { Dispatcher } from 'undici'
import { elapsed } from './clock.ts'
import { currentTraceparent } from './trace-context.ts'

/** Names and values in turns, as undici takes them. */
export const JSON_HEADERS: readonly string[] = [
  ...['accept', 'application/json', 'accept-encoding', 'identity'],
  ...['content-type', 'application/json', 'user-agent', 'gatehouse'],
]

type FailureKind =
  /** The address is not allowed; nothing was sent. */
  | 'blocked'
  /** No connection; nothing was sent. */
  | 'connect'
  /** The connection ended before a response began (`reset`), or within it. */
  | 'reset'
  | 'truncated'
  | 'timeout'
  | 'aborted'
  /** A stream reported an error after the status 2xx. */
  | 'error_event'
  /** An HTTP status other than 2xx. */
  | 'status'
  | 'malformed'
  | 'too_large'

export interface HttpFailure {
  readonly ok: false
  readonly failure: FailureKind
  /** 0: none was received. */
  readonly status: number
  /** Set if it was aborted or timed out before a byte was sent. */
  readonly unsent?: true
  /** The system's error code, for example `ENOTFOUND`. */
  readonly code?: string
  /** The wait that the server requested, without a maximum. */
  readonly retryAfterMs?: number
  /** Body of a `status` failure, with `keepsErrorBody` and up to DISCARD_BYTES. */
  readonly body?: Buffer
}

export interface HttpResponse {
  readonly ok: true
  readonly status: number
  /** Empty if the response was an event stream: its reader has it. */
  readonly body: Buffer
}

/** Whether the server may have received the request. */
export const mayHaveArrived = (result: HttpResponse | HttpFailure): boolean =>
  result.ok || !(result.unsent || result.failure === 'connect' || result.failure === 'blocked')

export interface StreamReader {
  /** `idle`: nothing new, so the idle limit keeps running. `progress`: continue. `done`: the response is complete. Else the failure. */
  write(chunk: Buffer): 'idle' | 'progress' | 'done' | 'error_event' | 'malformed' | 'too_large'
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: readonly string[]
  readonly body: string | null
  /** For the whole request: waiting for a connection, headers, body. */
  readonly timeoutMs: number
  /** Longest time without a byte: until the headers, and between bytes of the body. Default: `timeoutMs`. */
  readonly idleMs?: number
  /** Whether a failure of kind `status` has its body. It may be matched against closed lists, but never shown. */
  readonly keepsErrorBody?: boolean
  /** Larger responses are aborted. At most this many bytes and one chunk are in memory. */
  readonly maxBytes: number
  /** `open` is called if the response has the media type of a stream. Without it such a response is malformed. */
  readonly stream?: { readonly mediaType: RegExp; readonly open: () => StreamReader }
  readonly signal?: AbortSignal | undefined
  /** Milliseconds since the epoch, for a Retry-After that is a date. */
  readonly now: () => number
}

/** Code of the error with which a connector refuses an address before anything is sent. */
export const ADDRESS_REFUSED = 'ERR_ADDRESS_REFUSED'

/** Error bodies up to this size are read for at most this time, so that the connection can be reused. */
const DISCARD_BYTES = 65_536
const DISCARD_MS = 1_000
/** An event stream may be this many times larger than `maxBytes`, because each event repeats its framing. */
const FRAMING_FACTOR = 16
const EMPTY = Buffer.alloc(0)
const JSON_TYPE = /^(?:application\/(?:[\w.+-]+\+)?json|text\/(?:json|plain))(?:\s*;|\s*$)/i

/** Sends one HTTP request and returns the body of its JSON response, or gives an event stream to its reader. Follows no redirects. */
export function sendHttpRequest(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpResponse | HttpFailure> {
  if (request.signal?.aborted) return Promise.resolve({ ok: false, failure: 'aborted', status: 0, unsent: true })
  return new Promise((resolve) => {
    const { method, path, body } = request
    const traceparent = currentTraceparent()
    const headers = traceparent === null ? (request.headers as string[]) : [...request.headers, 'traceparent', traceparent]
    dispatcher.dispatch({ method, path, headers, body }, new ResponseHandler(request, resolve))
  })
}

/** Uses undici's handler interface, which is faster than its streams. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest
  readonly #resolve: (result: HttpResponse | HttpFailure) => void
  readonly #startedAt = elapsed()
  #timer: NodeJS.Timeout
  #lastByteAt = this.#startedAt
  #controller: Dispatcher.DispatchController | undefined
  #settled = false
  #reader: StreamReader | undefined
  #status = 0
  #size = 0
  /** Problems with the body of an error status do not change its kind. */
  #statusFailure: HttpFailure | undefined
  #firstChunk: Buffer | undefined
  #chunks: Buffer[] | undefined

  constructor(request: HttpRequest, resolve: (result: HttpResponse | HttpFailure) => void) {
    this.#request = request
    this.#resolve = resolve
    this.#timer = setTimeout(expire, Math.min(this.#idleMs, request.timeoutMs), this)
    request.signal?.addEventListener('abort', this.#onAbort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The request has failed while it waited for a connection: abort before a byte is sent.
    if (this.#settled) this.#abort()
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.#lastByteAt = elapsed()
    // An interim response; the final one follows.
    if (status < 200) return
    this.#status = status
    if (status > 299) {
      const retryAfterMs = retryAfter(headers, this.#request.now)
      this.#statusFailure = { ok: false, failure: 'status', status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
      clearTimeout(this.#timer)
      this.#timer = setTimeout(expire, Math.min(DISCARD_MS, this.#request.timeoutMs), this)
    } else if (this.#request.stream && hasType(headers, this.#request.stream.mediaType)) {
      this.#reader = this.#request.stream.open()
    } else if (!hasType(headers, JSON_TYPE)) this.#fail('malformed')
    else if (Number(headers['content-length']) > this.#request.maxBytes) this.#fail('too_large')
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#reader) return void this.#readStream(this.#reader, chunk)
    this.#lastByteAt = elapsed()
    if (this.#statusFailure && this.#size > DISCARD_BYTES) this.#fail('too_large')
    else if (this.#statusFailure && !this.#request.keepsErrorBody) return
    else if (this.#size > this.#request.maxBytes) this.#fail('too_large')
    else if (this.#firstChunk === undefined) this.#firstChunk = chunk
    else if (this.#chunks === undefined) this.#chunks = [this.#firstChunk, chunk]
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const body = this.#reader ? EMPTY : this.#chunks ? Buffer.concat(this.#chunks, this.#size) : this.#firstChunk
    if (this.#statusFailure && body) this.#statusFailure = { ...this.#statusFailure, body }
    this.#settle(body ? { ok: true, status: this.#status, body } : { ok: false, failure: 'malformed', status: this.#status })
    this.#release()
  }

  onResponseError(_: unknown, error: Error & { code?: unknown }): void {
    const code = typeof error.code === 'string' ? { code: error.code } : {}
    this.#settle({ ok: false, failure: this.#kindOf(error), status: this.#status, ...code })
    this.#release()
  }

  /** Called by the timer, which serves both limits: it compares the time of the last byte, so that chunks need no timers of their own. */
  expire(): void {
    const now = elapsed()
    const left = Math.min(this.#startedAt + this.#request.timeoutMs, this.#lastByteAt + this.#idleMs) - now
    if (this.#settled || this.#statusFailure || left < 1) this.#fail('timeout')
    else this.#timer = setTimeout(expire, left, this)
  }

  #readStream(reader: StreamReader, chunk: Buffer): void {
    // The rest is read so that the connection can be reused.
    if (this.#settled) return
    const effect = this.#size > this.#request.maxBytes * FRAMING_FACTOR ? 'too_large' : reader.write(chunk)
    if (effect === 'progress') this.#lastByteAt = elapsed()
    else if (effect === 'done') {
      this.#settle({ ok: true, status: this.#status, body: EMPTY })
      this.#release()
      this.#timer = setTimeout(expire, DISCARD_MS, this)
    } else if (effect !== 'idle') this.#fail(effect)
  }

  get #idleMs(): number {
    return this.#request.idleMs ?? this.#request.timeoutMs
  }

  readonly #onAbort = (): void => this.#fail('aborted')

  #fail(failure: FailureKind): void {
    this.#settle({ ok: false, failure, status: this.#status, ...(!this.#controller && { unsent: true }) })
    this.#abort()
  }

  #settle(result: HttpResponse | HttpFailure): void {
    if (this.#settled) return
    this.#settled = true
    this.#resolve(this.#statusFailure ?? result)
  }

  #abort(): void {
    this.#release()
    this.#controller?.abort(new Error('the request has failed'))
  }

  #release(): void {
    clearTimeout(this.#timer)
    this.#request.signal?.removeEventListener('abort', this.#onAbort)
    this.#firstChunk = this.#chunks = undefined
  }

  #kindOf(error: Error & { code?: unknown }): FailureKind {
    if (error.code === ADDRESS_REFUSED) return 'blocked'
    if (!this.#controller) return 'connect'
    const unreadable = error.name === 'HTTPParserError' && error.code !== 'HPE_INVALID_EOF_STATE'
    if (unreadable || error.code === 'UND_ERR_HEADERS_OVERFLOW') return 'malformed'
    return this.#status === 0 ? 'reset' : 'truncated'
  }
}

const expire = (handler: ResponseHandler): void => handler.expire()

/** Without an encoding, so that a small body cannot decompress into a large one. A body without a type may be JSON. */
function hasType(headers: Record<string, string | string[] | undefined>, expected: RegExp): boolean {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') return false
  const type = headers['content-type']
  return type === undefined ? expected === JSON_TYPE : typeof type === 'string' && expected.test(type)
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
