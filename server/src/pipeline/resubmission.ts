import type { Db } from '../db/database.ts'
import type { Completion } from '../domain/completion.ts'
import type { ErrorCode, ErrorFields } from '../errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import type { Lease } from '../limits/limiter.ts'
import { type Claimed, claimRelease, type ReleaseClaim } from '../review/release-store.ts'
import type { HoldContent, ReleasedAnswer, Lease as ReleaseLease, ReviewItem, ReviewOwner } from '../review/review.ts'
import { findForResubmission } from '../review/review-store.ts'
import type { ReviewWaiters } from '../review/waiting.ts'

export interface ReviewDeps {
  readonly db: Db
  readonly clock: Clock
  readonly reviewBox: SecretBox
  readonly waiters: ReviewWaiters
  /** How long a claimed release counts as being worked on. */
  readonly lease: Omit<ReleaseLease, 'now'>
}

/** A reviewed request on its way out. */
export type Release =
  /** Approved, and claimed by this exchange: it releases, once. */
  | { readonly kind: 'first'; readonly item: ReviewItem; readonly claim: ReleaseClaim; readonly content: HoldContent }
  /** Released before: the same result again. */
  | { readonly kind: 'again'; readonly item: ReviewItem; readonly result: ReleasedAnswer }

export type Resubmitted =
  | { readonly kind: 'release'; readonly release: Release }
  | { readonly kind: 'pending'; readonly itemId: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly fields: ErrorFields }

export interface Resubmission {
  readonly id: string
  readonly requestHash: Buffer
  readonly waitSeconds: number
  readonly callerGone: () => AbortSignal
  /** Waits without taking a place among the concurrent requests. */
  readonly away: Lease['away']
}

/** How long a resubmission waits for a release that is under way elsewhere; then it is told 409, and may ask again. */
const BUSY_PATIENCE_MS = 120_000

/**
 * A reviewed request comes back (decisions.md §2.5): checks that it is the one that was held, waits for the decision as long
 * as the caller asked, and claims the release. While it waits it takes nobody's place; where none comes free again in time, it
 * is told 409, and the decision stands. A release under way elsewhere is waited for whatever the caller asked: it is
 * the answer, and it is near.
 */
export async function resubmit(owner: ReviewOwner, asked: Resubmission, deps: ReviewDeps): Promise<Resubmitted> {
  const { db, clock, waiters, lease, reviewBox } = deps
  const { id, waitSeconds, callerGone } = asked
  const gone = callerGone()
  const claim = () =>
    waiters.waitUntil(id, {
      read: () => claimRelease(db, owner, asked, { ...lease, now: clock.now() }, reviewBox),
      done: (found) => found?.kind !== 'busy',
      wakeAt: (found) => (found && 'wakeAt' in found ? found.wakeAt : undefined),
      patienceMs: () => BUSY_PATIENCE_MS,
      signal: gone,
    })
  let claimed = await claim()
  // The place comes before the claim: what is claimed is released at once.
  if (
    claimed?.kind === 'pending' &&
    waitSeconds > 0 &&
    (await asked.away(() => decidedWithin(owner, id, waitSeconds, gone, deps)))
  ) {
    claimed = await claim()
  }
  if (claimed?.kind !== 'released') return answer(claimed)
  const { item, result } = claimed
  if (result.kind === 'held') return resubmit(owner, { ...asked, id: result.successorId }, deps)
  if (result.kind === 'answer') return { kind: 'release', release: { kind: 'again', item, result } }
  return refused(result.code as ErrorCode, { ...(result.fields as ErrorFields), reviewItemId: item.id })
}

/** The answer that a release brings along, and who gave it: what waited at output, or what the first release said. */
export function releasedAnswer(release: Release | undefined): { completion: Completion; provider: string } | undefined {
  const kept = release?.kind === 'again' ? release.result : release?.content
  return kept?.completion && { completion: kept.completion, provider: kept.provider ?? '' }
}

/** Waits for a hold that this exchange has opened itself; true when it was decided in time. */
export async function decidedWithin(
  owner: ReviewOwner,
  id: string,
  waitSeconds: number,
  callerGone: AbortSignal,
  { db, clock, waiters }: ReviewDeps,
): Promise<boolean> {
  const item = await waiters.waitUntil(id, {
    read: () => findForResubmission(db, owner, id, clock.now()),
    done: (found) => found?.state !== 'pending',
    wakeAt: (found) => found?.expiresAt,
    patienceMs: () => waitSeconds * 1_000,
    signal: callerGone,
  })
  return item !== undefined && item.state !== 'pending' && !callerGone.aborted
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
      return refused('VALIDATION_ERROR', { param: 'governance.review_item_id', message: 'There is no such review item.' })
  }
}

const INTERRUPTED =
  'The release of this hold was interrupted when its provider may have been called already, and it is not called twice. Send the request again without review_item_id.'

const MISMATCH: ErrorFields = {
  message: 'The request differs from the one that was held: send it again exactly, or without review_item_id.',
  details: { reason: 'review_request_mismatch' },
}

const refused = (code: ErrorCode, fields: ErrorFields = {}): Resubmitted => ({ kind: 'refused', code, fields })
