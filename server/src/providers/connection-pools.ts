import type { LookupFunction } from 'node:net'
import { type Dispatcher, Pool } from 'undici'
import type { UpstreamDialect } from '../dialects/upstream-dialect.ts'
import { JSON_HEADERS } from '../lib/http-request.ts'
import { guardedConnector } from '../lib/url-guard.ts'
import type { ProviderAdapter } from './adapter.ts'
import { adapterOf, dialectOf } from './adapters.ts'
import { DEPLOYMENT_PLACEHOLDER, isPrivateUrlAllowed, KEY_PLACEHOLDER, type Provider, type ProviderModel } from './provider.ts'

/** The parts of upstream requests that are the same for all requests to a provider. */
export interface Endpoint {
  readonly adapter: ProviderAdapter
  /** The API in which the provider gets chats for a model. */
  readonly dialect: (model: Pick<ProviderModel, 'api'>) => UpstreamDialect
  readonly dispatcher: Dispatcher
  readonly chatPath: string
  readonly responsesPath: string
  readonly embeddingsPath: string
  readonly modelsPath: string
  /** In undici's form: name, value, name, value … */
  readonly headers: readonly string[]
}

export interface ConnectionPoolsOptions {
  /** GATEHOUSE_ALLOW_PRIVATE_URLS. */
  readonly allowPrivateUrls: boolean
  /** Sockets per origin. Further requests wait for one until their timeout. */
  readonly connections?: number
  readonly connectTimeoutMs?: number
  /** Resolves host names. Default: the system's resolver. */
  readonly lookup?: LookupFunction
}

/** Servers of Node and uvicorn close idle connections after 5 s. A server's own `Keep-Alive` header takes precedence. */
const KEEP_ALIVE_MS = 4_000
/** Maximum number of open pools. The oldest is closed first. */
const MAX_POOLS = 512

/**
 * One pool of connections for each origin. Addresses are checked at connect time (lib/url-guard.ts). Workspaces share the pool of an
 * origin, because a connection has no state of a client.
 */
export class ConnectionPools {
  readonly #options: ConnectionPoolsOptions
  readonly #pools = new Map<string, Pool>()
  readonly #endpoints = new WeakMap<Provider, Endpoint>()

  constructor(options: ConnectionPoolsOptions) {
    this.#options = options
  }

  /** Throws if the provider has no valid base URL, for example a stub. */
  endpoint(provider: Provider): Endpoint {
    const known = this.#endpoints.get(provider)
    if (known && !(known.dispatcher as Pool).closed) return known
    if (provider.kind === 'stub') throw new TypeError('A stub sends no requests.')
    const url = new URL(provider.baseUrl ?? '')
    const { kind } = provider
    const adapter = adapterOf(kind)
    const base = url.pathname.replace(/\/+$/, '')
    const endpoint: Endpoint = {
      adapter,
      dialect: (model) => dialectOf(kind, model),
      dispatcher: this.#pool(url.origin, isPrivateUrlAllowed(provider.source, this.#options.allowPrivateUrls)),
      chatPath: base + provider.path,
      responsesPath: base + responsesPathOf(provider.path),
      embeddingsPath: base + siblingPath(provider.path, '/embeddings'),
      modelsPath: adapter.modelsPath(base, provider.path),
      headers: headersOf(provider, adapter),
    }
    this.#endpoints.set(provider, endpoint)
    return endpoint
  }

  /** Waits at most `graceMs` for requests in flight, then aborts them. */
  async close(graceMs = 0): Promise<void> {
    const pools = [...this.#pools.values()]
    this.#pools.clear()
    const timer = setTimeout(() => {
      for (const pool of pools) if (!pool.destroyed) void pool.destroy()
    }, graceMs)
    await Promise.all(pools.map((pool) => pool.close()))
    clearTimeout(timer)
  }

  #pool(origin: string, allowPrivate: boolean): Pool {
    const key = `${allowPrivate ? 'any' : 'public'} ${origin}`
    const known = this.#pools.get(key)
    if (known) return known
    const { connections = 256, connectTimeoutMs = 5_000, lookup } = this.#options
    const pool = new Pool(origin, {
      connect: guardedConnector(allowPrivate, connectTimeoutMs, lookup),
      connections,
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // lib/http-request.ts has its own limits: undici's never end a response that sends a byte per second.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    this.#pools.set(key, pool)
    if (this.#pools.size > MAX_POOLS) this.#closeOldest()
    return pool
  }

  #closeOldest(): void {
    for (const [key, pool] of this.#pools) {
      this.#pools.delete(key)
      void pool.close()
      return
    }
  }
}

/** The other APIs are beside the chat completions, with the same query. A path of another form is replaced. */
function siblingPath(chatPath: string, name: string): string {
  const [path = '', ...query] = chatPath.split('?')
  const folder = path.endsWith(CHAT_PATH) ? path.slice(0, -CHAT_PATH.length) : ''
  return [`${folder}${name}`, ...query].join('?')
}

const CHAT_PATH = '/chat/completions'

/** On Azure, deployments have no Responses API below their own path, and it takes no dated version. */
const responsesPathOf = (chatPath: string): string =>
  chatPath.includes(DEPLOYMENT_PLACEHOLDER) ? '/openai/v1/responses' : siblingPath(chatPath, '/responses')

function headersOf({ apiKey, headers }: Provider, adapter: ProviderAdapter): string[] {
  const key = apiKey ?? ''
  const declared = Object.entries(headers).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    value.replaceAll(KEY_PLACEHOLDER, () => key),
  ])
  const hasPlaceholder = Object.values(headers).some((value) => value.includes(KEY_PLACEHOLDER))
  const own = [...adapter.headers, ...(apiKey === null || hasPlaceholder ? [] : adapter.keyHeaders(apiKey))]
  const names = new Set(declared.map(([name]) => name))
  // A declared header replaces one of the adapter, for example another anthropic-version.
  const isReplaced = (index: number) => names.has(own[index - (index % 2)] ?? '')
  return [...JSON_HEADERS, ...own.filter((_, index) => !isReplaced(index)), ...declared.flat()]
}
