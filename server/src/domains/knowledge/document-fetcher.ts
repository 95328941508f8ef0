import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, request } from 'undici'
import { ADDRESS_REFUSED } from '../../platform/lib/http-request.ts'
import { findHostProblem, guardedConnector } from '../../platform/lib/url-guard.ts'

export interface FetchedFile {
  readonly bytes: Uint8Array
  /** Last segment of the URL's path. */
  readonly name: string
  readonly mediaType: string | undefined
}

/** Why a file could not be fetched. The message is for the operator that gave the URL. */
export class FetchError extends Error {
  readonly code: 'blocked' | 'not_fetched' | 'timeout' | 'too_large'

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
  /** For the whole fetch, redirects and body included. */
  readonly timeoutMs?: number
  /** Resolves host names; tests replace it. */
  readonly lookup?: LookupFunction
}

export const MAX_FILE_BYTES = 25 * 1_048_576
const TIMEOUT_MS = 20_000
const MAX_REDIRECTS = 3
const CONNECT_MS = 5_000

/** Fetches files from URLs that operators give. Each address, after redirects too, must pass the URL guard (SSRF protection). */
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
      let target = this.#checkUrl(url)
      for (let redirects = 0; ; redirects++) {
        const response = await this.#send(target, signal)
        const location = response.statusCode >= 300 && response.statusCode < 400 ? response.headers.location : undefined
        if (location === undefined) return await this.#readFile(target, response)
        await response.body.dump({ limit: 65_536 })
        if (redirects === MAX_REDIRECTS)
          throw new FetchError('not_fetched', `The server redirects more than ${MAX_REDIRECTS} times.`)
        target = this.#checkUrl(String(location), target)
      }
    } catch (error) {
      throw fetchErrorOf(error)
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }

  #checkUrl(text: string, base?: URL): URL {
    const url = URL.parse(text, base?.href)
    if (!url || !/^https?:$/.test(url.protocol)) throw new FetchError('blocked', 'The URL must begin with https:// or http://.')
    if (url.username || url.password) throw new FetchError('blocked', 'The URL must not contain a user name or password.')
    const problem = findHostProblem(url, this.#options.allowPrivateUrls)
    if (problem !== undefined) throw new FetchError('blocked', `The URL ${problem}.`)
    return url
  }

  #send(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    // `identity`: a compressed body could be far larger than its length states.
    const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'gatehouse' }
    return request(url, { method: 'GET', headers, dispatcher: this.#agent, signal, headersTimeout: 0, bodyTimeout: 0 })
  }

  async #readFile(url: URL, { statusCode, headers, body }: Dispatcher.ResponseData): Promise<FetchedFile> {
    const abort = (error: FetchError): never => {
      body.on('error', () => {}).destroy()
      throw error
    }
    const { 'content-encoding': encoding = 'identity', 'content-type': type } = headers
    if (statusCode !== 200) abort(new FetchError('not_fetched', `The server responded with status ${statusCode}.`))
    if (encoding !== 'identity') abort(new FetchError('not_fetched', 'The server sends only a compressed file.'))
    const { maxBytes = MAX_FILE_BYTES } = this.#options
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes)
        abort(new FetchError('too_large', `The file is larger than ${maxBytes >> 20} MB. Split it into several files.`))
      chunks.push(chunk)
    }
    return { bytes: Buffer.concat(chunks, size), name: fileNameOf(url), mediaType: typeof type === 'string' ? type : undefined }
  }
}

function fileNameOf({ pathname }: URL): string {
  const last = pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

export function fetchErrorOf(error: unknown): FetchError {
  if (error instanceof FetchError) return error
  const { name, code } = error as { name?: unknown; code?: unknown }
  if (code === ADDRESS_REFUSED) return new FetchError('blocked', 'The URL resolves to an address that is not public.', error)
  if (name === 'TimeoutError' || name === 'AbortError')
    return new FetchError('timeout', 'The server did not respond in time.', error)
  return new FetchError('not_fetched', 'The server could not be reached, or closed the connection.', error)
}
