import type { LookupFunction } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { Agent, type Dispatcher } from 'undici'
import { sendHttpRequest } from '../../lib/http-request.ts'
import { findHostProblem, guardedConnector } from '../../lib/url-guard.ts'
import type { ClaimedDelivery } from './delivery-queue.ts'

export interface WebhookSenderOptions {
  /** GATEHOUSE_ALLOW_PRIVATE_URLS. */
  readonly allowPrivateUrls: boolean
  readonly timeoutMs?: number
  /** Resolves names; tests bring their own. */
  readonly lookup?: LookupFunction
}

/** Standard Webhooks recommends 15 to 30 s. */
const TIMEOUT_MS = 15_000
const CONNECT_MS = 5_000
const MAX_ANSWER_BYTES = 65_536
const CONNECTIONS = 8

/** Outcome of an attempt. `failure`: text for the operator; null: the receiver has the event. */
export interface SendResult {
  readonly status: number | null
  readonly failure: string | null
}

const WORDS: Readonly<Record<string, string>> = {
  blocked: 'The URL leads to an address that is not public.',
  connect: 'No connection could be made.',
  timeout: 'It took too long.',
  aborted: 'The server was stopped.',
}

/** What is wrong with a webhook's URL, for its operator; undefined when nothing is. Names are checked when connecting. */
export function findWebhookUrlProblem(text: string, allowPrivateUrls: boolean): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an absolute URL and start with https:// or http://'
  if (url.username || url.password) return 'must not hold credentials'
  return findHostProblem(url, allowPrivateUrls)
}

/** Sends events as Standard Webhooks specifies. Does not follow redirects: their addresses are not checked. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions
  readonly #agent: Agent

  constructor(options: WebhookSenderOptions) {
    this.#options = options
    const connect = guardedConnector(options.allowPrivateUrls, CONNECT_MS, options.lookup)
    this.#agent = new Agent({ connect, connections: CONNECTIONS, pipelining: 1 })
  }

  async send(
    { id, url: text, secret, type, happenedAt, payload }: ClaimedDelivery,
    now: Date,
    signal?: AbortSignal,
  ): Promise<SendResult> {
    const { allowPrivateUrls, timeoutMs = TIMEOUT_MS } = this.#options
    const url = new URL(text)
    if (findWebhookUrlProblem(text, allowPrivateUrls) !== undefined) return { status: null, failure: WORDS.blocked as string }
    const head = JSON.stringify({ id, type, timestamp: happenedAt.toISOString() })
    const body = `${head.slice(0, -1)},"payload":${payload}}`
    const answer = await sendHttpRequest(this.#to(url.origin), {
      method: 'POST',
      path: url.pathname + url.search,
      headers: [
        ...['content-type', 'application/json', 'user-agent', 'gatehouse', 'accept-encoding', 'identity'],
        ...['webhook-id', id, 'webhook-timestamp', String(Math.floor(now.getTime() / 1_000))],
        ...['webhook-signature', new Webhook(secret).sign(id, now, body)],
      ],
      body,
      timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
      signal,
      now: () => now.getTime(),
    })
    const status = answer.status || null
    // Only the status counts, not the body, which may be cut off.
    if (status !== null && status < 300) return { status, failure: null }
    if (status !== null)
      return { status, failure: status < 400 ? 'It redirects, which is not followed.' : `It answered ${status}.` }
    return { status, failure: WORDS[answer.ok ? '' : answer.failure] ?? 'The connection broke off.' }
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }

  #to(origin: string): Dispatcher {
    const dispatch: Dispatcher['dispatch'] = (options, handler) => this.#agent.dispatch({ ...options, origin }, handler)
    return { dispatch } as Dispatcher
  }
}
