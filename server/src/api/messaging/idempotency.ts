import { createHash } from 'node:crypto'
import type { StoredResponse } from '../../domains/messaging/idempotency/idempotency-store.ts'
import { GatehouseError } from '../../errors.ts'
import { canonicalJson } from '../../platform/lib/canonical-json.ts'
import { invalid } from '../../shared/refusals.ts'

const MAX_KEY = 255

/** The `Idempotency-Key` of a request; undefined without one. Throws a 400 for a key that is empty or too long. */
export function idempotencyKeyIn(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && key.length > 0 && key.length <= MAX_KEY) return key
  throw invalid({ param: 'Idempotency-Key', message: `must have 1 to ${MAX_KEY} characters` })
}

/** SHA-256 of a request: the same for form and JSON, and for every order of the fields. */
export const fingerprintOf = (method: string, url: string, body: unknown): Buffer =>
  createHash('sha256')
    .update(`${method} ${url}\n${canonicalJson(body ?? null)}`)
    .digest()

/** The stored response of a key. Throws a 409 when the key was used for a different request. */
export function replay(
  stored: (StoredResponse & { readonly fingerprint: Buffer }) | undefined,
  fingerprint: Buffer,
): StoredResponse | undefined {
  if (!stored) return undefined
  if (!stored.fingerprint.equals(fingerprint)) {
    throw new GatehouseError('CONFLICT', { message: 'This Idempotency-Key was used for a different request.' })
  }
  return { status: stored.status, body: stored.body }
}
