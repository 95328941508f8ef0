import { Agent, fetch } from 'undici'
import { traceHeaders } from '../../platform/lib/trace-context.ts'
import { guardedConnector } from '../../platform/lib/url-guard.ts'
import type { KeyFetch } from './remote-keys.ts'

export interface JwksFetcher {
  readonly fetch: KeyFetch
  readonly close: () => Promise<void>
}

const CONNECT_MS = 5_000

/** Fetches key sets of identity providers (RFC 7517). Connections to private addresses are refused unless they are allowed. */
export function openJwksFetcher({ allowPrivateUrls }: { readonly allowPrivateUrls: boolean }): JwksFetcher {
  const dispatcher = new Agent({ connect: guardedConnector(allowPrivateUrls, CONNECT_MS) })
  return {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...traceHeaders() }, dispatcher }),
    close: () => dispatcher.close(),
  }
}
