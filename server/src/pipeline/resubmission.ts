import type { Db } from '../db/database.ts'
import type { ErrorCode, ErrorFields } from '../errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { type Claimed, claimRelease } from '../review/release-store.ts'
import { sameRequest } from '../review/request-hash.ts'
import type { Lease, ReviewItem } from '../review/review.ts'
import { findForResubmission, type ReviewOwner } from '../review/review-store.ts'
import type { ReviewWaiters } from '../review/waiting.ts'
import type { Release } from './facts.ts'

export interface ReviewDeps {
  readonly db: Db
  readonly clock: Clock
  readonly reviewBox: SecretBox
  readonly waiters: ReviewWaiters
  /** How long a claimed release counts as being worked on, without `now`. */
  readonly lease: Omit<Lease, 'now'>
}

export type Resubmitted =
  | { readonly kind: 'release'; readonly release: Release }
  | { readonly kind: 'pending'; readonly itemId: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly fields: ErrorFields }

interface Resubmission {
  readonly itemId: string
  readonly requestHash: Buffer
  readonly waitSeconds: number
  readonly signal: AbortSignal
}

/**
 * A reviewed request comes back (decisions.md §2.5): checks that it is the one that was held, waits for a decision as long as
 * the caller asked, and claims the release. Unknown and foreign items get the same answer.
 */
export async function resubmit(owner: ReviewOwner, asked: Resubmission, deps: ReviewDeps): Promise<Resubmitted> {
  const { db, clock, waiters } = deps
  const item = await findForResubmission(db, owner, asked.itemId, clock.now())
  if (!item) return refused('VALIDATION_ERROR', { param: 'governance.review_item_id', message: UNKNOWN_ITEM })
  if (!sameRequest(item.requestHash, asked.requestHash)) return refused('VALIDATION_ERROR', MISMATCH)
  const claimed = await waiters.waitUntil(item.id, {
    read: () => claimRelease(db, owner, item.id, { ...deps.lease, now: clock.now() }, deps.reviewBox),
    // A release in progress is worth waiting for whatever the caller said: it is the answer, and it is near.
    done: (state) => state === undefined || (state.kind !== 'pending' && state.kind !== 'busy'),
    wakeAt: (state) => (state && 'wakeAt' in state ? state.wakeAt : undefined),
    patienceMs: (state) => (state?.kind === 'busy' ? deps.lease.leaseMs : asked.waitSeconds * 1_000),
    signal: asked.signal,
  })
  if (claimed?.kind === 'released' && claimed.result === null && claimed.item.successorId !== null) {
    return resubmit(owner, { ...asked, itemId: claimed.item.successorId }, deps)
  }
  return answer(item, claimed)
}

const UNKNOWN_ITEM = 'There is no such review item.'
const MISMATCH: ErrorFields = {
  message: 'The request differs from the one that was held: send it again exactly, or without review_item_id.',
  details: { reason: 'review_request_mismatch' },
}

function answer(item: ReviewItem, claimed: Claimed | undefined): Resubmitted {
  switch (claimed?.kind) {
    case 'claimed':
      return {
        kind: 'release',
        release: { item: claimed.item, claim: claimed.claim, content: claimed.content, result: undefined },
      }
    case 'released':
      if (claimed.result === null) return refused('REVIEW_HOLD_EXPIRED')
      return { kind: 'release', release: { item: claimed.item, claim: undefined, content: undefined, result: claimed.result } }
    case 'denied':
      return refused('POLICY_REVIEW_DENIED', { reviewItemId: item.id })
    case 'expired':
      return refused('REVIEW_HOLD_EXPIRED', { reviewItemId: item.id })
    case 'interrupted':
      return refused('PROVIDER_ERROR', { reviewItemId: item.id, message: INTERRUPTED })
    default:
      return { kind: 'pending', itemId: item.id }
  }
}

const INTERRUPTED =
  'The release of this hold was interrupted after its provider may have been called. It is not called twice: send the request again without review_item_id.'

const refused = (code: ErrorCode, fields: ErrorFields = {}): Resubmitted => ({ kind: 'refused', code, fields })
