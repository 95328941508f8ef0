import type { LookupFunction } from 'node:net'
import { Pool } from 'undici'
import { JSON_HEADERS } from '../../platform/lib/http-request.ts'
import { guardedConnector } from '../../platform/lib/url-guard.ts'
import { AccessTokens } from './access-tokens.ts'
import { adapterOf, type ChatApi, type ProviderAdapter, type UpstreamModel } from './adapters.ts'
import { parseServiceAccount } from './credentials.ts'
import { DEPLOYMENT_PLACEHOLDER, PROJECT_PLACEHOLDER, REGION_PLACEHOLDER, siblingPath } from './kinds.ts'
import { isPrivateUrlAllowed, KEY_PLACEHOLDER, type Provider, resolvedBaseUrl } from './provider.ts'
import type { Target } from './send-to-provider.ts'

export interface Endpoint extends Target {
  readonly adapter: ProviderAdapter
  chat(model: UpstreamModel): ChatApi
  readonly stream: boolean
  embeddingsPath(model: string): string
  readonly models: (Target & { readonly path: string }) | undefined
}

export interface ConnectionPoolsOptions {
  readonly allowPrivateUrls: boolean
  /** Sockets per origin. Further requests wait for one until their timeout. */
  readonly connections?: number
  readonly connectTimeoutMs?: number
  readonly lookup?: LookupFunction
}

/** Servers of Node and uvicorn close idle connections after 5 s. A server's own `Keep-Alive` header takes precedence. */
const KEEP_ALIVE_MS = 4_000
const MAX_POOLS = 512

/** One pool for each origin, also of several Workspaces, because a connection has no state of a client. */
export class ConnectionPools {
  readonly #options: ConnectionPoolsOptions
  readonly #pools = new Map<string, Pool>()
  readonly #endpoints = new WeakMap<Provider, Endpoint>()
  readonly #tokens = new AccessTokens((origin, allowPrivate) => this.#pool(origin, allowPrivate))

  constructor(options: ConnectionPoolsOptions) {
    this.#options = options
  }

  /** Throws if the provider has no valid base URL, for example a stub. */
  endpoint(provider: Provider): Endpoint {
    const known = this.#endpoints.get(provider)
    if (known && !(known.dispatcher as Pool).closed) return known
    const endpoint = this.#open(provider)
    this.#endpoints.set(provider, endpoint)
    return endpoint
  }

  #open(provider: Provider): Endpoint {
    if (provider.kind === 'stub') throw new TypeError('A stub sends no requests.')
    const url = new URL(resolvedBaseUrl(provider))
    const adapter = adapterOf(provider.kind)
    const base = url.pathname.replace(/\/+$/, '')
    const own = this.#target(provider, adapter, url.origin)
    const modelsPath = adapter.modelsPath(base, provider)
    const modelsOrigin = adapter.modelsOrigin?.(url) ?? url.origin
    const modelsTarget = modelsOrigin === url.origin ? own : this.#target(provider, adapter, modelsOrigin)
    return {
      ...own,
      adapter,
      stream: provider.stream,
      chat: (model) => {
        const api = adapter.chatApi(provider, model)
        return { ...api, path: base + resolvePath(api.path, provider, model.name) }
      },
      embeddingsPath: (model) => base + resolvePath(siblingPath(provider.path, '/embeddings'), provider, model),
      models: modelsPath === undefined ? undefined : { ...modelsTarget, path: modelsPath },
    }
  }

  #target(provider: Provider, adapter: ProviderAdapter, origin: string): Target {
    const allowPrivateUrls = isPrivateUrlAllowed(provider, this.#options.allowPrivateUrls)
    const deps = { origin, tokens: this.#tokens, allowPrivateUrls }
    const authorize = provider.apiKey === null ? undefined : adapter.authorizer?.(provider, provider.apiKey, deps)
    const headers = headersOf(provider, adapter, authorize !== undefined)
    return { dispatcher: this.#pool(origin, allowPrivateUrls), headers, authorize }
  }

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
      // platform/lib/http-request.ts has its own limits: undici's never end a response that sends a byte per second.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    this.#pools.set(key, pool)
    const [oldest] = this.#pools
    if (oldest && this.#pools.size > MAX_POOLS) {
      this.#pools.delete(oldest[0])
      void oldest[1].close()
    }
    return pool
  }
}

function resolvePath(path: string, { kind, region, apiKey }: Provider, model: string): string {
  if (!path.includes('{')) return path
  const project = kind === 'vertex' ? parseServiceAccount(apiKey ?? '')?.projectId : undefined
  const values: Readonly<Record<string, string | null | undefined>> = {
    [DEPLOYMENT_PLACEHOLDER]: model,
    [REGION_PLACEHOLDER]: region,
    [PROJECT_PLACEHOLDER]: project,
  }
  return path.replaceAll(/\{[a-z]+\}/g, (name) => (Object.hasOwn(values, name) ? encodeURIComponent(values[name] ?? '') : name))
}

/** `isKeySecret`: the key signs requests or is exchanged for a token, so a header that would hold it is left out. */
function headersOf({ apiKey, headers }: Provider, adapter: ProviderAdapter, isKeySecret: boolean): string[] {
  const key = apiKey ?? ''
  const holdsKey = (value: string) => value.includes(KEY_PLACEHOLDER)
  const declared = Object.entries(headers)
    .filter(([, value]) => !(isKeySecret && holdsKey(value)))
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.replaceAll(KEY_PLACEHOLDER, () => key)])
  const hasPlaceholder = Object.values(headers).some(holdsKey)
  const own = [...adapter.headers, ...(apiKey === null || hasPlaceholder ? [] : adapter.keyHeaders(apiKey))]
  const names = new Set(declared.map(([name]) => name))
  // A declared header replaces one of the adapter, for example another anthropic-version.
  const isReplaced = (index: number) => names.has(own[index - (index % 2)] ?? '')
  return [...JSON_HEADERS, ...own.filter((_, index) => !isReplaced(index)), ...declared.flat()]
}
