import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, request } from 'undici'
import { findHostProblem, guardedConnector } from '../../../platform/lib/url-guard.ts'
import { FetchError, fetchErrorOf } from '../document-fetcher.ts'

interface HttpOptions {
  /** GATEHOUSE_ALLOW_PRIVATE_URLS. */
  readonly allowPrivateUrls: boolean
  /** Resolves host names; tests replace it. */
  readonly lookup?: LookupFunction
}

export interface SourceRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer | undefined
  readonly maxBytes: number
  readonly signal: AbortSignal
}

const CONNECT_MS = 5_000
const IDLE_MS = 30_000

/** Sends the requests of connectors. Each address must pass the URL guard (SSRF protection), and redirects are not followed. */
export class SourceHttp {
  readonly #agent: Agent
  readonly allowPrivateUrls: boolean

  constructor({ allowPrivateUrls, lookup }: HttpOptions) {
    this.allowPrivateUrls = allowPrivateUrls
    const limits = { headersTimeout: IDLE_MS, bodyTimeout: IDLE_MS }
    this.#agent = new Agent({ connect: guardedConnector(allowPrivateUrls, CONNECT_MS, lookup), connections: 4, ...limits })
  }

  /** The body of a response with status 200. Throws a FetchError. */
  async send(sent: SourceRequest): Promise<{ readonly headers: Dispatcher.ResponseData['headers']; readonly body: Buffer }> {
    const { method, url, headers, body = null, signal, maxBytes } = sent
    const problem = findHostProblem(url, this.allowPrivateUrls)
    if (problem !== undefined) throw new FetchError('blocked', `The URL ${problem}.`)
    try {
      // `identity`: a compressed body could be far larger than its length states.
      const all = { 'user-agent': 'gatehouse', ...headers, 'accept-encoding': 'identity' }
      const response = await request(url, { method, headers: all, body, signal, dispatcher: this.#agent })
      if (response.statusCode !== 200) {
        await response.body.dump({ limit: 65_536, signal })
        throw new FetchError('not_fetched', problemOf(response.statusCode))
      }
      return { headers: response.headers, body: await readBody(response.body, maxBytes) }
    } catch (error) {
      throw fetchErrorOf(error)
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

async function readBody(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) {
      body.on('error', () => {}).destroy()
      throw new FetchError('too_large', `A response is larger than ${maxBytes >> 20} MB.`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

function problemOf(status: number): string {
  if (status === 401 || status === 403)
    return `The server refused the credentials (status ${status}). Check the secret and its rights.`
  if (status === 404) return 'The server does not know the address (status 404). Check the URL, and the rights of the secret.'
  if (status >= 300 && status < 400) return `The server redirects (status ${status}). Enter the URL that it redirects to.`
  return `The server responded with status ${status}.`
}
