import { createRemoteJWKSet, customFetch, type RemoteJWKSet } from 'jose'
import { elapsed } from '../lib/clock.ts'

/** One GET of a set of keys. The function that is handed in decides which addresses may be reached (ADM-ENV-10). */
export type KeyFetch = (
  url: string,
  init: { method: 'GET'; headers: Record<string, string>; redirect: 'manual'; signal: AbortSignal },
) => Promise<{ readonly status: number; readonly body: AsyncIterable<Uint8Array> | null }>

/** The keys cannot be read right now, so nobody can tell whether a token is good. The cause is for the log. */
export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError'
}

const TIMEOUT_MS = 3_000
const MAX_AGE_MS = 600_000
const MAX_BYTES = 262_144
/** An unknown key makes us look again at most this often (GW-AUTH-11), whether or not the last look succeeded. */
const UNKNOWN_KEY_MS = 30_000
/** Without keys to go on with, a failed look is repeated sooner, but not with every request. */
const FAILURE_MS = 5_000

/**
 * The keys behind a URL: read at the first token, kept for ten minutes, read again when a token names a key that is not
 * among them. Redirects are not followed. Throws KeysUnavailableError when there are no keys to check with.
 */
export function createRemoteKeySet(url: string, fetch: KeyFetch, clock: () => number = elapsed): RemoteJWKSet {
  let failedAt = Number.NEGATIVE_INFINITY
  const read = async (address: string, { signal }: { signal: AbortSignal }): Promise<Response> => {
    if (clock() < failedAt + (keys.fresh ? UNKNOWN_KEY_MS : FAILURE_MS)) {
      throw new KeysUnavailableError('the keys could not be read a moment ago')
    }
    try {
      const headers = { accept: 'application/jwk-set+json, application/json', 'user-agent': 'gatehouse' }
      return Response.json(await keySet(await fetch(address, { method: 'GET', headers, redirect: 'manual', signal })))
    } catch (cause) {
      failedAt = clock()
      throw new KeysUnavailableError('the keys cannot be read', { cause })
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

async function keySet({ status, body }: Awaited<ReturnType<KeyFetch>>): Promise<{ keys: object[] }> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  if (status !== 200) throw new Error(`status ${status}`)
  const set = JSON.parse(Buffer.concat(chunks).toString()) as { keys?: unknown } | null
  if (!Array.isArray(set?.keys) || !set.keys.every((key) => typeof key === 'object' && key !== null)) {
    throw new Error('not a JSON Web Key Set')
  }
  return { keys: set.keys }
}
