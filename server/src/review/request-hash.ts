import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '../lib/canonical-json.ts'

/** The parts of a request that a resubmission must repeat exactly (GW-REV-11). */
export interface RequestBinding {
  /** `app_…`; null: a message of the messaging API. */
  readonly applicationId: string | null
  /** The asserted or verified user of stage 3; empty for a request without a user. */
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

/** Stored hashes contain this name. */
const OPERATOR_FIELD = 'playedBy'

/**
 * HMAC-SHA-256 over the RFC 8785 form of the binding (GW-REV-11, GW-RETRY-2; docs/decisions/0008-review.md). Throws if `request` has
 * no such form: a lone surrogate in a string, or a number that is not finite.
 */
export const requestHash = (key: Uint8Array, binding: RequestBinding): Buffer => hmac(key, canonicalForm(binding))

function canonicalForm({ applicationId, userId, isVerified, operatorId, sessionId, request, written }: RequestBinding): string {
  const asked = Object.fromEntries(Object.entries(request).filter(([name]) => !UNBOUND_FIELDS.has(name)))
  const sender = {
    applicationId,
    userId,
    sessionId,
    ...(isVerified && { isVerified }),
    ...(operatorId !== undefined && { [OPERATOR_FIELD]: operatorId }),
  }
  return canonicalJson({ purpose: 'review-request-1', ...sender, asked, ...(written && { written }) })
}

const hmac = (key: Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest()

export interface RequestHashes {
  readonly requestHash: Buffer
  /** The hashes of earlier versions, so that their holds are found. */
  readonly earlierHashes?: readonly Buffer[]
}

export const bindRequest = (
  { current, earlier }: { readonly current: Uint8Array; readonly earlier: Uint8Array },
  binding: RequestBinding,
): RequestHashes => {
  const { written, ...earlierBinding } = binding
  const form = canonicalForm(earlierBinding)
  const requestHash = hmac(current, written ? canonicalForm(binding) : form)
  return { requestHash, earlierHashes: [hmac(earlier, form), ...(written ? [hmac(current, form)] : [])] }
}

/** Whether a hold with the hash `bound` is for the request with these hashes. */
export const isSameRequest = (bound: Uint8Array, { requestHash, earlierHashes = [] }: RequestHashes): boolean =>
  [requestHash, ...earlierHashes].some((hash) => isEqual(bound, hash))

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)
