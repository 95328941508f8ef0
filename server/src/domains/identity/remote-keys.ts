import { createRemoteJWKSet, customFetch, type RemoteJWKSet } from 'jose'
import { Agent, fetch } from 'undici'
import { elapsed } from '../../platform/lib/clock.ts'
import { currentTraceparent } from '../../platform/lib/trace-context.ts'
import { guardedConnector } from '../../platform/lib/url-guard.ts'

/** GET of a key set. The implementation decides which addresses are allowed (ADM-ENV-10). */
export type KeyFetch = (
  url: string,
  init: { method: 'GET'; headers: Record<string, string>; redirect: 'manual'; signal: AbortSignal },
) => Promise<{ readonly status: number; readonly body: AsyncIterable<Uint8Array> | null }>

/** The keys cannot be read, so a token can be neither accepted nor rejected. */
export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError'
}

const TIMEOUT_MS = 3_000
const MAX_AGE_MS = 600_000
const MAX_BYTES = 262_144
/** Minimum time between two reads because of unknown keys (GW-AUTH-11). */
const UNKNOWN_KEY_MS = 30_000
const FAILURE_MS = 5_000

/** The key set of a URL, read again for an unknown key and after ten minutes. Its functions throw KeysUnavailableError. */
export function createRemoteKeySet(url: string, fetch: KeyFetch, clock: () => number = elapsed): RemoteJWKSet {
  let failedAt = Number.NEGATIVE_INFINITY
  const read = async (address: string, { signal }: { signal: AbortSignal }): Promise<Response> => {
    if (clock() < failedAt + (keys.fresh ? UNKNOWN_KEY_MS : FAILURE_MS)) {
      throw new KeysUnavailableError('The last read of the keys failed. They are read again after a pause.')
    }
    try {
      const headers = { accept: 'application/jwk-set+json, application/json', 'user-agent': 'gatehouse' }
      return Response.json(await readKeySet(await fetch(address, { method: 'GET', headers, redirect: 'manual', signal })))
    } catch (cause) {
      failedAt = clock()
      throw new KeysUnavailableError('The keys cannot be read.', { cause })
    }
  }
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: UNKNOWN_KEY_MS,
    cacheMaxAge: MAX_AGE_MS,
    [customFetch]: read,
  })
  return keys
}

async function readKeySet({ status, body }: Awaited<ReturnType<KeyFetch>>): Promise<{ keys: object[] }> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error(`The key set is larger than ${MAX_BYTES} bytes.`)
    chunks.push(chunk)
  }
  if (status !== 200) throw new Error(`The server of the key set responded with status ${status}.`)
  const keySet = JSON.parse(Buffer.concat(chunks).toString()) as { keys?: unknown } | null
  if (!Array.isArray(keySet?.keys) || !keySet.keys.every((key) => typeof key === 'object' && key !== null)) {
    throw new Error('The response is not a JSON Web Key Set.')
  }
  return { keys: keySet.keys }
}

const CONNECT_MS = 5_000

/** Fetches key sets of identity providers (RFC 7517). Connections to private addresses are refused unless they are allowed. */
export function openJwksFetcher({ allowPrivateUrls }: { readonly allowPrivateUrls: boolean }) {
  const dispatcher = new Agent({ connect: guardedConnector(allowPrivateUrls, CONNECT_MS) })
  return {
    fetch: ((url, init) => {
      const traceparent = currentTraceparent()
      return fetch(url, { ...init, headers: { ...init.headers, ...(traceparent && { traceparent }) }, dispatcher })
    }) satisfies KeyFetch,
    close: () => dispatcher.close(),
  }
}
