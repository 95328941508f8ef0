import type { ErrorCode, ErrorFields } from '../../errors.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import type { Completion } from '../../shared/completion.ts'
import { type ClaimResult, claimRelease, type ReleaseClaim, type Resubmission } from './release-store.ts'
import type { HoldContent, Lease, ReleasedCompletion, ReviewOwner } from './review.ts'
import type { ReviewItem } from './review-row.ts'
import type { ReviewWaiters } from './review-waiters.ts'

export interface ReviewDeps {
  readonly db: Db
  readonly clock: Clock
  readonly reviewBox: SecretBox
  readonly waiters: ReviewWaiters
  readonly lease: Omit<Lease, 'now'>
}

export type Release =
  | { readonly kind: 'first'; readonly item: ReviewItem; readonly claim: ReleaseClaim; readonly content: HoldContent }
  /** The hold was released before: the same result is sent again. */
  | { readonly kind: 'again'; readonly item: ReviewItem; readonly result: ReleasedCompletion }

export type ResubmissionResult =
  | { readonly kind: 'release'; readonly release: Release }
  /** `question`: of a reviewer to the requester. */
  | { readonly kind: 'pending'; readonly itemId: string; readonly expiresAt: Date; readonly question?: string | undefined }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly fields: ErrorFields }

/** Does not wait: while the decision or another release is outstanding the result is `pending` (approval-wait.ts). */
export async function resubmit(owner: ReviewOwner, resubmission: Resubmission, deps: ReviewDeps): Promise<ResubmissionResult> {
  const { db, clock, lease, reviewBox } = deps
  const claimed = await claimRelease(db, owner, resubmission, { ...lease, now: clock.now() }, reviewBox)
  if (claimed?.kind !== 'released') return withoutResult(claimed)
  const { item, result } = claimed
  if (result.kind === 'held') return resubmit(owner, { ...resubmission, id: result.successorId }, deps)
  if (result.kind === 'answer') return { kind: 'release', release: { kind: 'again', item, result } }
  return refused(result.code as ErrorCode, { ...(result.fields as ErrorFields), reviewItemId: item.id })
}

/** The completion of a release and its provider: the one that was held, or the result of the first release. */
export function releasedCompletion(release: Release | undefined): { completion: Completion; provider: string } | undefined {
  const stored = release?.kind === 'again' ? release.result : release?.content
  return stored?.completion && { completion: stored.completion, provider: stored.provider ?? '' }
}

type Unreleased = Exclude<ClaimResult, { kind: 'released' }> | undefined

function withoutResult(claimed: Unreleased): ResubmissionResult {
  switch (claimed?.kind) {
    case 'claimed':
      return { kind: 'release', release: { ...claimed, kind: 'first' } }
    case 'denied':
      return refused('POLICY_REVIEW_DENIED', { reviewItemId: claimed.item.id })
    case 'expired':
      return refused('REVIEW_HOLD_EXPIRED', { reviewItemId: claimed.item.id })
    case 'interrupted':
      return refused('PROVIDER_ERROR', { reviewItemId: claimed.item.id, message: INTERRUPTED })
    case 'pending':
    case 'busy':
      return {
        kind: 'pending',
        itemId: claimed.item.id,
        expiresAt: claimed.item.expiresAt,
        question: claimed.item.question ?? undefined,
      }
    case 'mismatch':
      return refused('VALIDATION_ERROR', MISMATCH)
    case 'own_approval':
      return refused('VALIDATION_ERROR', OWN_APPROVAL)
    default:
      // An unknown item and another Application's item get the same text (GW-REV-14).
      return refused('VALIDATION_ERROR', { param: 'governance.review_item_id', message: 'Review item not found.' })
  }
}

const INTERRUPTED =
  'The release of this hold was interrupted. The provider may have been called and is not called again. Send the request again without review_item_id.'

const MISMATCH: ErrorFields = {
  message: 'The request differs from the held request. Send it again unchanged, or without review_item_id.',
  details: { reason: 'review_request_mismatch' },
}

/** The API key of the request is not one for which the approvals count. */
const OWN_APPROVAL: ErrorFields = {
  message:
    'The operator who issued this API key has approved the hold. Send the request again with the API key of the held request, or without review_item_id, so that another operator decides.',
  details: { reason: 'review_request_mismatch' },
}

const refused = (code: ErrorCode, fields: ErrorFields = {}): ResubmissionResult => ({ kind: 'refused', code, fields })
