import type { Db } from '../db/database.ts'
import type { Completion } from '../domain/completion.ts'
import type { ErrorCode, ErrorFields } from '../errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { type Claimed, claimRelease, type ReleaseClaim, type Resubmission } from './release-store.ts'
import type { HoldContent, Lease, ReleasedAnswer, ReviewItem, ReviewOwner } from './review.ts'
import type { ReviewWaiters } from './waiting.ts'

export interface ReviewDeps {
  readonly db: Db
  readonly clock: Clock
  readonly reviewBox: SecretBox
  readonly waiters: ReviewWaiters
  /** How long a claimed release counts as being worked on. */
  readonly lease: Omit<Lease, 'now'>
}

/** The release of an approved hold. */
export type Release =
  /** Claimed by this request, which releases the hold, once. */
  | { readonly kind: 'first'; readonly item: ReviewItem; readonly claim: ReleaseClaim; readonly content: HoldContent }
  /** Released before: the same result is repeated. */
  | { readonly kind: 'again'; readonly item: ReviewItem; readonly result: ReleasedAnswer }

export type Resubmitted =
  | { readonly kind: 'release'; readonly release: Release }
  | { readonly kind: 'pending'; readonly itemId: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly fields: ErrorFields }

/**
 * Checks that a resubmitted request is the one that was held (GW-REV-11), and claims the release. It does not wait: while the
 * decision or another release is outstanding the result is `pending` (approval-wait.ts).
 */
export async function resubmit(owner: ReviewOwner, asked: Resubmission, deps: ReviewDeps): Promise<Resubmitted> {
  const { db, clock, lease, reviewBox } = deps
  const claimed = await claimRelease(db, owner, asked, { ...lease, now: clock.now() }, reviewBox)
  if (claimed?.kind !== 'released') return answer(claimed)
  const { item, result } = claimed
  if (result.kind === 'held') return resubmit(owner, { ...asked, id: result.successorId }, deps)
  if (result.kind === 'answer') return { kind: 'release', release: { kind: 'again', item, result } }
  return refused(result.code as ErrorCode, { ...(result.fields as ErrorFields), reviewItemId: item.id })
}

/** The completion that a release delivers, and its provider: the one held at output, or the result of the first release. */
export function releasedAnswer(release: Release | undefined): { completion: Completion; provider: string } | undefined {
  const kept = release?.kind === 'again' ? release.result : release?.content
  return kept?.completion && { completion: kept.completion, provider: kept.provider ?? '' }
}

type Unreleased = Exclude<Claimed, { kind: 'released' }> | undefined

function answer(claimed: Unreleased): Resubmitted {
  switch (claimed?.kind) {
    case 'claimed':
      return { kind: 'release', release: { kind: 'first', item: claimed.item, claim: claimed.claim, content: claimed.content } }
    case 'denied':
      return refused('POLICY_REVIEW_DENIED', { reviewItemId: claimed.item.id })
    case 'expired':
      return refused('REVIEW_HOLD_EXPIRED', { reviewItemId: claimed.item.id })
    case 'interrupted':
      return refused('PROVIDER_ERROR', { reviewItemId: claimed.item.id, message: INTERRUPTED })
    case 'pending':
    case 'busy':
      return { kind: 'pending', itemId: claimed.item.id }
    case 'mismatch':
      return refused('VALIDATION_ERROR', MISMATCH)
    default:
      // One text for unknown and foreign items.
      return refused('VALIDATION_ERROR', { param: 'governance.review_item_id', message: 'Review item not found.' })
  }
}

const INTERRUPTED =
  'The release of this hold was interrupted when its provider may have been called already, and it is not called twice. Send the request again without review_item_id.'

const MISMATCH: ErrorFields = {
  message: 'The request differs from the one that was held: send it again exactly, or without review_item_id.',
  details: { reason: 'review_request_mismatch' },
}

const refused = (code: ErrorCode, fields: ErrorFields = {}): Resubmitted => ({ kind: 'refused', code, fields })
