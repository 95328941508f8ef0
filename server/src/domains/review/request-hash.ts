import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '../../platform/lib/canonical-json.ts'

/** The parts of a request that a resubmission must repeat exactly (GW-REV-11). */
export interface RequestBinding {
  /** `app_…`; null: a message of the messaging API. */
  readonly applicationId: string | null
  readonly userId: string
  /** Whether a user token proves the user. A completion for a verified user must not reach an asserted user of that id. */
  readonly isVerified: boolean
  /** The operator of a playground request, which never equals a client's request. */
  readonly operatorId?: string | undefined
  readonly sessionId: string | null
  /** The validated request body. `requestHash` leaves out the fields that do not bind. */
  readonly request: Readonly<Record<string, unknown>>
  /** The fields that a provider of the client's own API gets. All of them bind, also those that the validated body has no place for. */
  readonly written?: Readonly<Record<string, unknown>> | undefined
}

/** The user and session of `governance` bind as stage 3 resolved them. The other fields only concern delivery (GW-REV-11). */
const UNBOUND_FIELDS: ReadonlySet<string> = new Set(['governance', 'stream', 'stream_options'])

/** HMAC-SHA-256 (GW-REV-11, GW-RETRY-2; docs/decisions/0008-review.md). Throws on a lone surrogate and an infinite number. */
export function requestHash(
  key: Uint8Array,
  { applicationId, userId, isVerified, operatorId, sessionId, request, written }: RequestBinding,
): Buffer {
  const asked = Object.fromEntries(Object.entries(request).filter(([name]) => !UNBOUND_FIELDS.has(name)))
  const sender = {
    applicationId,
    userId,
    sessionId,
    ...(isVerified && { isVerified }),
    // Stored hashes contain this name.
    ...(operatorId !== undefined && { playedBy: operatorId }),
  }
  const form = canonicalJson({ purpose: 'review-request-1', ...sender, asked, ...(written && { written }) })
  return createHmac('sha256', key).update(form).digest()
}

export const isSameRequest = (bound: Uint8Array, hash: Uint8Array): boolean =>
  bound.length === hash.length && timingSafeEqual(bound, hash)
