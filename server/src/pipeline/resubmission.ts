import type { Db } from '../db/database.ts'
import type { Completion } from '../domain/completion.ts'
import type { ErrorCode, ErrorFields } from '../errors.ts'
import { type Clock, elapsed } from '../lib/clock.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { type Claimed, claimRelease, putOff, type ReleaseClaim, type Resubmission } from '../review/release-store.ts'
import type { HoldContent, Lease, ReleasedAnswer, ReviewItem, ReviewOwner } from '../review/review.ts'
import type { ReviewWaiters } from '../review/waiting.ts'

export interface ReviewDeps {
  readonly db: Db
  readonly clock: Clock
  readonly reviewBox: SecretBox
  readonly waiters: ReviewWaiters
  /** How long a claimed release counts as being worked on. */
  readonly lease: Omit<Lease, 'now'>
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

/**
 * How long a resubmission waits for a release that is under way elsewhere; then it is told 409, and may ask again. As long as its
 * provider may take, and as clients wait.
 */
const BUSY_PATIENCE_MS = 600_000

/**
 * A reviewed request comes back (decisions.md §2.5): checks that it is the one that was held, and claims the release. It waits
 * for nothing: what is to be decided first is `pending`, and after a wait the whole request is looked at anew (pipeline.ts).
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

/** The answer that a release brings along, and who gave it: what waited at output, or what the first release said. */
export function releasedAnswer(release: Release | undefined): { completion: Completion; provider: string } | undefined {
  const kept = release?.kind === 'again' ? release.result : release?.content
  return kept?.completion && { completion: kept.completion, provider: kept.provider ?? '' }
}

/**
 * Waits for a hold as long as the caller asked, counted from `sinceMs` (of `elapsed`); for a release under way elsewhere
 * whatever the caller asked: it is the answer, and it is near. True when there is nothing left to wait for; false when time is
 * up, the caller has gone or the server stops.
 */
export async function decidedInTime(
  owner: ReviewOwner,
  id: string,
  { waitSeconds, sinceMs, callerGone }: { waitSeconds: number; sinceMs: number; callerGone: AbortSignal },
  { db, clock, waiters, lease }: ReviewDeps,
): Promise<boolean> {
  const waitedMs = elapsed() - sinceMs
  const reason = await waiters.waitUntil(id, {
    read: () => putOff(db, owner, id, { ...lease, now: clock.now() }),
    done: (found) => found === undefined,
    wakeAt: (found) => found?.wakeAt,
    patienceMs: (found) => (found?.kind === 'busy' ? BUSY_PATIENCE_MS : waitSeconds * 1_000) - waitedMs,
    signal: callerGone,
  })
  return reason === undefined && !callerGone.aborted
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
