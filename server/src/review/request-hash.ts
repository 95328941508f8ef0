import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '../lib/canonical-json.ts'

/** Who asks what. Everything in it binds: a resubmission that differs anywhere is another request. */
export interface RequestBinding {
  /** `app_…`; null: a message of the messaging API. */
  readonly applicationId: string | null
  /** Id of the user as stage 3 found it, asserted or verified; empty when the request names nobody. */
  readonly userId: string
  /** Whether a token says so. A verified user's answer is not for everybody who claims to be that user. */
  readonly isVerified: boolean
  /** The operator who tries it out in the playground: never the same request as a client's. */
  readonly operatorId?: string | undefined
  readonly sessionId: string | null
  /** The validated request body, `governance` included; what of it does not count is left out here. */
  readonly request: Readonly<Record<string, unknown>>
}

/** Who asks, and how the answer is delivered: not what is asked (GW-REV-11: `stream` and the wait may differ). */
const NOT_ASKED: ReadonlySet<string> = new Set(['governance', 'stream', 'stream_options'])

/**
 * What a review item is bound to, and by what an identical request finds its pending hold (GW-REV-11, GW-RETRY-2):
 * HMAC-SHA-256 over the RFC 8785 form of the binding.
 *
 * @NOTE All of `governance` is left out: its user and session count as stage 3 resolved them, the rest is delivery. Role, department and attributes do not bind: they are for the current
 * policy to judge, which is evaluated again at release.
 *
 * @throws when `request` holds what JSON cannot: a lone surrogate in a string, a number that is not finite.
 */
export function requestHash(
  key: Uint8Array,
  { applicationId, userId, isVerified, operatorId, sessionId, request }: RequestBinding,
): Buffer {
  const asked = Object.fromEntries(Object.entries(request).filter(([name]) => !NOT_ASKED.has(name)))
  // Stored hashes hold this name.
  const playedBy = operatorId
  const who = { applicationId, userId, sessionId, ...(isVerified && { isVerified }), ...(playedBy !== undefined && { playedBy }) }
  const text = canonicalJson({ purpose: 'review-request-1', ...who, asked })
  return createHmac('sha256', key).update(text).digest()
}

/** What a request is bound under. */
export interface RequestHashes {
  readonly requestHash: Buffer
  /** What an earlier version would have bound it under: holds that it opened are still recognised. */
  readonly earlierHash?: Buffer
}

/** `requestHash` under the present key of a Workspace, and under the one that earlier versions used. */
export const bindRequest = (
  { current, earlier }: { readonly current: Uint8Array; readonly earlier: Uint8Array },
  binding: RequestBinding,
): RequestHashes => ({ requestHash: requestHash(current, binding), earlierHash: requestHash(earlier, binding) })

/** False: the resubmission is of another request, 400 `review_request_mismatch`. */
export const sameRequest = (bound: Uint8Array, { requestHash, earlierHash }: RequestHashes): boolean =>
  same(bound, requestHash) || (earlierHash !== undefined && same(bound, earlierHash))

const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)
