import type { LookupFunction } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { Agent, type Dispatcher } from 'undici'
import { type HttpFailure, sendHttpRequest } from '../../../platform/lib/http-request.ts'
import { findHostProblem, guardedConnector } from '../../../platform/lib/url-guard.ts'

export interface WebhookSenderOptions {
  readonly allowPrivateUrls: boolean
  readonly timeoutMs?: number
  readonly lookup?: LookupFunction
}

/** Standard Webhooks recommends 15 to 30 s. */
const TIMEOUT_MS = 15_000
const CONNECT_MS = 5_000
const MAX_RESPONSE_BYTES = 65_536
const CONNECTIONS = 8

export interface WebhookRequest {
  readonly id: string
  readonly url: string
  readonly secret: string
  readonly body: string
}

/** Result of an attempt. `failure`: text for operators; null: the receiver has accepted the event. */
export interface SendResult {
  readonly status: number | null
  readonly failure: string | null
  readonly retryAfterMs?: number
}

const REDIRECTED = 'The receiver responded with a redirect, which is not followed. Change the URL of the webhook.'
const BLOCKED = 'The URL leads to an address that is not public.'

/** Texts for operators, by the kind of failure of platform/lib/http-request.ts. */
const FAILURES: Readonly<Record<string, string>> = {
  blocked: BLOCKED,
  connect: 'No connection to the receiver. Check the URL and that the receiver is running.',
  timeout: 'The receiver did not respond in time.',
  aborted: 'The attempt was interrupted because the server stopped.',
}

/** Why a URL is not valid for a webhook; undefined: it is valid. The addresses of host names are checked when connecting. */
export function findWebhookUrlProblem(text: string, allowPrivateUrls: boolean): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an absolute URL and start with https:// or http://'
  if (url.username || url.password) return 'must not hold credentials'
  return findHostProblem(url, allowPrivateUrls)
}

/** Sends events as specified by Standard Webhooks. Does not follow redirects, because their addresses are not checked. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions
  readonly #agent: Agent

  constructor(options: WebhookSenderOptions) {
    this.#options = options
    const connect = guardedConnector(options.allowPrivateUrls, CONNECT_MS, options.lookup)
    this.#agent = new Agent({ connect, connections: CONNECTIONS, pipelining: 1 })
  }

  async send({ id, url: text, secret, body }: WebhookRequest, now: Date, signal?: AbortSignal): Promise<SendResult> {
    const { allowPrivateUrls, timeoutMs = TIMEOUT_MS } = this.#options
    const url = new URL(text)
    if (findWebhookUrlProblem(text, allowPrivateUrls) !== undefined) return { status: null, failure: BLOCKED }
    const response = await sendHttpRequest(this.#dispatcherFor(url.origin), {
      method: 'POST',
      path: url.pathname + url.search,
      headers: [
        ...['content-type', 'application/json', 'user-agent', 'gatehouse', 'accept-encoding', 'identity'],
        ...['webhook-id', id, 'webhook-timestamp', String(Math.floor(now.getTime() / 1_000))],
        ...['webhook-signature', new Webhook(secret).sign(id, now, body)],
      ],
      body,
      timeoutMs,
      maxBytes: MAX_RESPONSE_BYTES,
      signal,
      now: () => now.getTime(),
    })
    const status = response.status || null
    // Only the status counts: the body may be incomplete.
    if (status !== null && status < 300) return { status, failure: null }
    if (status !== null) {
      const failure = status < 400 ? REDIRECTED : `The receiver responded with status ${status}.`
      const { retryAfterMs } = response as HttpFailure
      return { status, failure, ...(retryAfterMs !== undefined && { retryAfterMs }) }
    }
    return { status, failure: FAILURES[response.ok ? '' : response.failure] ?? 'The connection ended before the response.' }
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }

  #dispatcherFor(origin: string): Dispatcher {
    const dispatch: Dispatcher['dispatch'] = (options, handler) => this.#agent.dispatch({ ...options, origin }, handler)
    return { dispatch } as Dispatcher
  }
}
