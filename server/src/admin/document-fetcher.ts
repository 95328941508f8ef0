import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, request } from 'undici'
import { ADDRESS_REFUSED } from '../lib/exchange.ts'
import { guardedConnector, hostProblem } from '../providers/url-guard.ts'

export interface FetchedFile {
  readonly bytes: Uint8Array
  /** Last part of the path, as files are named. */
  readonly name: string
  readonly mediaType: string | undefined
}

const FETCH_ERRORS = ['blocked', 'not_fetched', 'timeout', 'too_large'] as const

/** Why there is no file at a URL. The message is for whoever gave it. */
export class FetchError extends Error {
  readonly code: (typeof FETCH_ERRORS)[number]

  constructor(code: FetchError['code'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'FetchError'
    this.code = code
  }
}

export interface FetcherOptions {
  /** GATEHOUSE_ALLOW_PRIVATE_URLS. */
  readonly allowPrivateUrls: boolean
  readonly maxBytes?: number
  /** For all of it: redirects, and the body to its end. */
  readonly timeoutMs?: number
  /** Resolves names; tests bring their own. */
  readonly lookup?: LookupFunction
}

const MAX_BYTES = 20 * 1_048_576
const TIMEOUT_MS = 20_000
const MAX_REDIRECTS = 3
const CONNECT_MS = 5_000

/** Fetches files from the URLs that operators list, and from no address that the guard refuses, redirects included. */
export class DocumentFetcher {
  readonly #options: FetcherOptions
  readonly #agent: Agent

  constructor(options: FetcherOptions) {
    this.#options = options
    const { allowPrivateUrls, lookup } = options
    this.#agent = new Agent({ connect: guardedConnector(allowPrivateUrls, CONNECT_MS, lookup), keepAliveTimeout: 1_000 })
  }

  /** Throws a FetchError. */
  async fetch(url: string): Promise<FetchedFile> {
    const signal = AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS)
    try {
      let at = this.#permitted(url)
      for (let redirects = 0; ; redirects++) {
        const answer = await this.#ask(at, signal)
        const location = answer.statusCode >= 300 && answer.statusCode < 400 ? answer.headers.location : undefined
        if (location === undefined) return await this.#file(at, answer)
        await answer.body.dump({ limit: 65_536 })
        if (redirects === MAX_REDIRECTS)
          throw new FetchError('not_fetched', `The server redirects more than ${MAX_REDIRECTS} times.`)
        at = this.#permitted(String(location), at)
      }
    } catch (error) {
      throw fetchErrorOf(error)
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }

  #permitted(text: string, base?: URL): URL {
    const url = URL.parse(text, base?.href)
    if (!url || !/^https?:$/.test(url.protocol)) throw new FetchError('blocked', 'The URL must begin with https:// or http://.')
    if (url.username || url.password) throw new FetchError('blocked', 'The URL must not hold credentials.')
    const problem = hostProblem(url, this.#options.allowPrivateUrls)
    if (problem !== undefined) throw new FetchError('blocked', `The URL ${problem}.`)
    return url
  }

  #ask(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    // Nothing unfolds: what comes is as large as it says.
    const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'gatehouse' }
    return request(url, { method: 'GET', headers, dispatcher: this.#agent, signal, headersTimeout: 0, bodyTimeout: 0 })
  }

  async #file(url: URL, { statusCode, headers, body }: Dispatcher.ResponseData): Promise<FetchedFile> {
    const refuse = (error: FetchError): never => {
      body.on('error', () => {}).destroy()
      throw error
    }
    const { 'content-encoding': encoding = 'identity', 'content-type': type } = headers
    if (statusCode !== 200) refuse(new FetchError('not_fetched', `The server answered ${statusCode}.`))
    if (encoding !== 'identity') refuse(new FetchError('not_fetched', 'The server sends it compressed only.'))
    const { maxBytes = MAX_BYTES } = this.#options
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes)
        refuse(new FetchError('too_large', `The file is larger than ${maxBytes >> 20} MB. Split it into several files.`))
      chunks.push(chunk)
    }
    return { bytes: Buffer.concat(chunks, size), name: nameIn(url), mediaType: typeof type === 'string' ? type : undefined }
  }
}

function nameIn({ pathname }: URL): string {
  const last = pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

function fetchErrorOf(error: unknown): FetchError {
  if (error instanceof FetchError) return error
  const { name, code } = error as { name?: unknown; code?: unknown }
  if (code === ADDRESS_REFUSED) return new FetchError('blocked', 'The URL leads to an address that is not public.', error)
  if (name === 'TimeoutError' || name === 'AbortError') return new FetchError('timeout', 'The server took too long.', error)
  return new FetchError('not_fetched', 'The server could not be reached, or broke off.', error)
}
