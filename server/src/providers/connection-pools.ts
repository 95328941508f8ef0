import type { LookupFunction } from 'node:net'
import { type Dispatcher, Pool } from 'undici'
import { guardedConnector } from '../lib/url-guard.ts'
import { isPrivateUrlAllowed, KEY_PLACEHOLDER, type Provider } from './provider.ts'

/** Everything about a provider that stays the same from call to call, worked out once. */
export interface Endpoint {
  readonly dispatcher: Dispatcher
  readonly chatPath: string
  readonly modelsPath: string
  /** As undici takes them: name, value, name, value … */
  readonly headers: readonly string[]
}

export interface ConnectionPoolsOptions {
  /** GATEHOUSE_ALLOW_PRIVATE_URLS. */
  readonly allowPrivateUrls: boolean
  /** Sockets to one origin at a time; further calls wait for one within their own time. */
  readonly connections?: number
  readonly connectTimeoutMs?: number
  /** Resolves names; tests bring their own. */
  readonly lookup?: LookupFunction
}

/** Below the 5 s after which Node's and uvicorn's servers close idle connections; a server's own hint overrides it. */
const KEEP_ALIVE_MS = 4_000
/** Origins with an open pool; the one opened first is closed beyond that. */
const MAX_POOLS = 512

/**
 * The connections to providers: one pool for each origin, kept alive, guarded against forbidden addresses at connect time.
 * Providers of several Workspaces with the same origin share one; nothing on a connection belongs to a caller.
 */
export class ConnectionPools {
  readonly #options: ConnectionPoolsOptions
  readonly #pools = new Map<string, Pool>()
  readonly #endpoints = new WeakMap<Provider, Endpoint>()

  constructor(options: ConnectionPoolsOptions) {
    this.#options = options
  }

  /** Throws when the provider has no valid base URL (a stub, or one that findProviderProblem would refuse). */
  endpoint(provider: Provider): Endpoint {
    const known = this.#endpoints.get(provider)
    if (known && !(known.dispatcher as Pool).closed) return known
    const url = new URL(provider.baseUrl ?? '')
    const base = url.pathname.replace(/\/+$/, '')
    const endpoint = {
      dispatcher: this.#pool(url.origin, isPrivateUrlAllowed(provider.source, this.#options.allowPrivateUrls)),
      chatPath: base + provider.path,
      modelsPath: `${base}/models`,
      headers: headersOf(provider),
    }
    this.#endpoints.set(provider, endpoint)
    return endpoint
  }

  /** Lets running calls end, for `graceMs` at most. */
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
      // One deadline for the whole exchange replaces both (lib/http-request.ts): it also bounds what drips slowly, and costs one timer.
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

function headersOf({ apiKey, headers }: Provider): string[] {
  const key = apiKey ?? ''
  const placed = Object.values(headers).some((value) => value.includes(KEY_PLACEHOLDER))
  return [
    'accept',
    'application/json',
    'accept-encoding',
    'identity',
    'content-type',
    'application/json',
    'user-agent',
    'gatehouse',
    ...(apiKey === null || placed ? [] : ['authorization', `Bearer ${apiKey}`]),
    ...Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), value.replaceAll(KEY_PLACEHOLDER, () => key)]),
  ]
}
