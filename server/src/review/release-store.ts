import type { Db, Tx } from '../db/database.ts'
import { fromId } from '../lib/id.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { type RequestHashes, sameRequest } from './request-hash.ts'
import {
  type HoldContent,
  type Lease,
  leaseEnd,
  type ReleaseResult,
  type ReviewItem,
  type ReviewOwner,
  releaseStep,
} from './review.ts'
import { ITEM_COLUMNS, type ItemRow, seal, toItem, unseal, uuidOf } from './review-row.ts'

/** What comes back to be released: the hold it names, and what it asks (`requestHash` of it). */
export interface Resubmission extends RequestHashes {
  /** `rev_…`, or whatever the client sent. */
  readonly id: string
}

/** The right to release one hold: one caller on one node has it at a time. */
export interface ReleaseClaim {
  /** `rev_…` */
  readonly id: string
  readonly startedAt: Date
  readonly expiresAt: Date
}

/** What a resubmission finds. `pending` and `busy` change, see `putOff`; the others stay as they are, until expiry at most. */
export type Claimed =
  | { readonly kind: 'claimed'; readonly item: ReviewItem; readonly claim: ReleaseClaim; readonly content: HoldContent }
  | { readonly kind: 'pending' | 'busy'; readonly item: ReviewItem }
  | { readonly kind: 'released'; readonly item: ReviewItem; readonly result: ReleaseResult }
  /** `interrupted`: a node died while it released a held request. The provider may have been called, and is not called again. */
  | { readonly kind: 'denied' | 'expired' | 'interrupted'; readonly item: ReviewItem }
  /** Another request than the one that was held: `details.reason: review_request_mismatch`. */
  | { readonly kind: 'mismatch' }

/**
 * Claims the release of an approved hold, or tells why not; undefined when there is none, or it is another Application's. Of
 * any number of callers on any number of nodes one is `claimed`, and ends the claim with {@link completeRelease} or
 * {@link abandonRelease}. A claim that nobody ended, because its node died, is free again after the lease for an output hold, whose answer is there
 * already, and `interrupted` for any other.
 *
 * @throws inside a transaction: the claim must be committed before the provider is called.
 */
export async function claimRelease(
  db: Db,
  owner: ReviewOwner,
  resubmission: Resubmission,
  lease: Lease,
  box: SecretBox,
): Promise<Claimed | undefined> {
  if (db.isTransaction) throw new Error('a release is claimed outside of any transaction')
  const row = await holdOf(db, owner, resubmission.id)
  if (!row) return undefined
  if (!sameRequest(row.request_hash, resubmission)) return { kind: 'mismatch' }
  const { now } = lease
  const item = toItem(row, now)
  const kind = stepOf(row, lease)
  if (kind === 'ready') {
    const taken = await take(db, row, now)
    // Another caller was faster, and tells the waiters when it is done.
    if (!taken) return { kind: 'busy', item }
    if (!taken.content) return { kind: 'expired', item }
    const content = unseal<HoldContent>(box, item.id, 'content', taken.content)
    return { kind: 'claimed', item, claim: { id: item.id, startedAt: now, expiresAt: item.expiresAt }, content }
  }
  if (kind === 'released') {
    const result = await resultOf(db, item, box)
    return result ? { kind, item, result } : { kind: 'expired', item }
  }
  return { kind, item }
}

/**
 * What `claimRelease` would have to be put off for, and when that ends by the clock alone; undefined: for nothing. It claims
 * nothing, so that whoever waits can ask anew, before the claim, whether the request may go on at all.
 */
export async function pendingReason(
  db: Db,
  owner: ReviewOwner,
  id: string,
  lease: Lease,
): Promise<{ readonly kind: 'pending' | 'busy'; readonly wakeAt: Date } | undefined> {
  const row = await holdOf(db, owner, id)
  if (!row) return undefined
  const kind = stepOf(row, lease)
  const { expiresAt } = toItem(row, lease.now)
  if (kind === 'pending') return { kind, wakeAt: expiresAt }
  if (kind !== 'busy') return undefined
  const freeAt = leaseEnd(row.release_started_at ?? lease.now, lease)
  return { kind, wakeAt: new Date(Math.min(freeAt.getTime(), expiresAt.getTime())) }
}

const stepOf = (row: ItemRow, lease: Lease) =>
  releaseStep({ ...toItem(row, lease.now), state: row.state, releaseStartedAt: row.release_started_at }, lease)

/**
 * Ends a claim for good: whatever the release came to is what every resubmission gets from now on. Belongs to the
 * transaction of the releasing exchange's record (and of the hold that its answer went into). After the commit, tell the
 * waiters (`ReviewWaiters.changed`).
 *
 * False when the claim is no longer this caller's (it overran its lease, and another one released the output hold): roll
 * back, and claim again to see the result.
 */
export async function completeRelease(
  tx: Tx,
  owner: ReviewOwner,
  claim: ReleaseClaim,
  {
    result,
    releasedAuditId,
    now,
  }: {
    readonly result: ReleaseResult
    /** `aud_…` */
    readonly releasedAuditId: string
    readonly now: Date
  },
  box: SecretBox,
): Promise<boolean> {
  const { numUpdatedRows } = await claimed(tx, owner, claim)
    .set({
      state: 'released',
      // A release that outlives its item still answers the one who waited for it, but leaves nothing behind.
      result: claim.expiresAt > now ? seal(box, claim.id, 'result', result) : null,
      successor_id: result.kind === 'held' ? uuidOf('rev', result.successorId) : null,
      released_audit_id: uuidOf('aud', releasedAuditId),
      released_at: now,
    })
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Gives a claim back, so that a later resubmission may try again: only when it is certain that no provider has answered,
 * nor will (refused connection, error status; not a timeout). After it, tell the waiters. False as in completeRelease.
 */
export async function abandonRelease(db: Db, owner: ReviewOwner, claim: ReleaseClaim): Promise<boolean> {
  const { numUpdatedRows } = await claimed(db, owner, claim).set({ release_started_at: null }).executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Ends a claim whose result could not be kept: for everybody it is from now on as if the claimant had died. An output hold's
 * answer is there and free to be claimed again, any other hold is `interrupted`. After it, tell the waiters. False as in
 * completeRelease.
 */
export async function loseRelease(db: Db, owner: ReviewOwner, claim: ReleaseClaim): Promise<boolean> {
  const { numUpdatedRows } = await claimed(db, owner, claim).set({ release_started_at: LONG_AGO }).executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Before any lease began. */
const LONG_AGO = new Date(0)

async function holdOf(db: Db, owner: ReviewOwner, id: string): Promise<ItemRow | undefined> {
  return db
    .selectFrom('review_item')
    .select(ITEM_COLUMNS)
    .where('workspace_id', '=', uuidOf('ws', owner.workspaceId))
    .where('application_id', '=', uuidOf('app', owner.applicationId))
    .where('id', '=', fromId('rev', id) ?? null)
    .where('kind', '=', 'hold')
    .executeTakeFirst()
}

/** Compare and swap on the claim that was read: none, or one that its lease has freed. */
const take = (db: Db, row: ItemRow, now: Date): Promise<{ content: Buffer | null } | undefined> =>
  db
    .updateTable('review_item')
    .set({ release_started_at: now })
    .where('id', '=', row.id)
    .where('state', '=', 'approved')
    .where('expires_at', '>', now)
    .where('release_started_at', 'is not distinct from', row.release_started_at)
    .returning('content')
    .executeTakeFirst()

/** Undefined when it was erased since the row was read. */
async function resultOf(db: Db, { id }: ReviewItem, box: SecretBox): Promise<ReleaseResult | undefined> {
  const row = await db.selectFrom('review_item').select('result').where('id', '=', uuidOf('rev', id)).executeTakeFirst()
  return row?.result ? unseal<ReleaseResult>(box, id, 'result', row.result) : undefined
}

/** A sweep may have marked the item as expired while its release was under way. */
const claimed = (db: Db, owner: ReviewOwner, { id, startedAt }: ReleaseClaim) =>
  db
    .updateTable('review_item')
    .where('workspace_id', '=', uuidOf('ws', owner.workspaceId))
    .where('application_id', '=', uuidOf('app', owner.applicationId))
    .where('id', '=', uuidOf('rev', id))
    .where('state', 'in', ['approved', 'expired'])
    .where('release_started_at', '=', startedAt)
