import type { Updateable } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Schema } from '../../platform/db/schema.ts'
import { uuidOf, uuidOrNull } from '../../platform/db/values.ts'
import { fromId } from '../../platform/lib/id.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { isSameRequest } from './request-hash.ts'
import { type HoldContent, type Lease, leaseEnd, type ReleaseResult, type ReviewOwner, releaseStep } from './review.ts'
import { holdsOf, ITEM_COLUMNS, type ItemRow, type ReviewItem, seal, toItem, unseal } from './review-row.ts'

/** Whether the operator has approved the hold, also with one of the operator's admin tokens. `operatorId`: `opr_…` */
async function hasApproved(
  db: Db,
  { decidedBy, approvals }: Pick<ReviewItem, 'decidedBy' | 'approvals'>,
  operatorId: string,
): Promise<boolean> {
  const approvers = [decidedBy, ...approvals.map(({ by }) => by)].filter((id) => id !== null)
  if (approvers.includes(operatorId)) return true
  const tokens = approvers.map((id) => fromId('adm', id)).filter((uuid) => uuid !== undefined)
  if (tokens.length === 0) return false
  const query = db.selectFrom('admin_token').select('id').where('id', 'in', tokens).where('issued_by', '=', operatorId)
  return (await query.executeTakeFirst()) !== undefined
}

export interface Resubmission {
  readonly requestHash: Buffer
  /** The `review_item_id` of the request; not checked yet. */
  readonly id: string
  readonly keyIssuer?: string | undefined
}

/** The right to release a hold. One request on one node has it at a time. */
export interface ReleaseClaim {
  readonly id: string
  readonly startedAt: Date
  readonly expiresAt: Date
}

/** `pending` and `busy` are temporary ({@link pendingReason}). */
export type ClaimResult =
  | { readonly kind: 'claimed'; readonly item: ReviewItem; readonly claim: ReleaseClaim; readonly content: HoldContent }
  | { readonly kind: 'pending' | 'busy'; readonly item: ReviewItem }
  | { readonly kind: 'released'; readonly item: ReviewItem; readonly result: ReleaseResult }
  /** `interrupted`: an earlier release ended without a result. The provider may have been called and is not called again. */
  | { readonly kind: 'denied' | 'expired' | 'interrupted'; readonly item: ReviewItem }
  /** The request differs from the held one: `details.reason: review_request_mismatch` (GW-REV-11). */
  | { readonly kind: 'mismatch' }
  /** The operator who issued the API key of the request has approved the hold, and operators do not approve their own requests. */
  | { readonly kind: 'own_approval' }

/** One of several callers gets `claimed`. Throws in a transaction: the claim must be committed before the provider is called. */
export async function claimRelease(
  db: Db,
  owner: ReviewOwner,
  resubmission: Resubmission,
  lease: Lease,
  box: SecretBox,
): Promise<ClaimResult | undefined> {
  if (db.isTransaction) throw new Error('claimRelease must run outside a transaction')
  const row = await holdOf(db, owner, resubmission.id)
  if (!row) return undefined
  if (!isSameRequest(row.request_hash, resubmission.requestHash)) return { kind: 'mismatch' }
  const { now } = lease
  const item = toItem(row, now)
  const kind = stepOf(row, lease)
  const { keyIssuer } = resubmission
  if (keyIssuer !== undefined && (await hasApproved(db, item, keyIssuer))) return { kind: 'own_approval' }
  if (kind === 'ready') {
    const taken = await takeClaim(db, row, now)
    // Another caller was faster.
    if (!taken) return { kind: 'busy', item }
    if (!taken.content) return { kind: 'expired', item }
    const content = unseal<HoldContent>(box, item.id, 'content', taken.content)
    return { kind: 'claimed', item, claim: { id: item.id, startedAt: now, expiresAt: item.expiresAt }, content }
  }
  if (kind === 'released') {
    const result = await readResult(db, item, box)
    return result ? { kind, item, result } : { kind: 'expired', item }
  }
  return { kind, item }
}

/** Why a release cannot be claimed yet, and until when. It only reads: a waiting request passes all stages again (GW-REV-12). */
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

/** Every resubmission gets the result (GW-REV-13). False: the claim is lost. Call `ReviewWaiters.changed` after the commit. */
export async function completeRelease(
  tx: Tx,
  owner: ReviewOwner,
  claim: ReleaseClaim,
  { result, releasedAuditId, now }: { result: ReleaseResult; releasedAuditId: string; now: Date },
  box: SecretBox,
): Promise<boolean> {
  return endClaim(tx, owner, claim, {
    state: 'released',
    // After expiry the waiting client still gets the result, but it is not stored.
    result: claim.expiresAt > now ? seal(box, claim.id, 'result', result) : null,
    successor_id: result.kind === 'held' ? uuidOf('rev', result.successorId) : null,
    released_audit_id: uuidOf('aud', releasedAuditId),
    released_at: now,
  })
}

/** The next resubmission tries again. Only after a failure without a completion: a refused connection, not a timeout. */
export const abandonRelease = (db: Db, owner: ReviewOwner, claim: ReleaseClaim): Promise<boolean> =>
  endClaim(db, owner, claim, { release_started_at: null })

/** For a result that could not be stored: a held completion can be claimed again, a held request is `interrupted`. */
export const interruptRelease = (db: Db, owner: ReviewOwner, claim: ReleaseClaim): Promise<boolean> =>
  endClaim(db, owner, claim, { release_started_at: BEFORE_ANY_LEASE })

const BEFORE_ANY_LEASE = new Date(0)

const holdOf = (db: Db, owner: ReviewOwner, id: string): Promise<ItemRow | undefined> =>
  holdsOf(db, owner).select(ITEM_COLUMNS).where('id', '=', uuidOrNull('rev', id)).executeTakeFirst()

/** Compare and swap: undefined if the claim changed after `row` was read. */
const takeClaim = (db: Db, row: ItemRow, now: Date): Promise<{ content: Buffer | null } | undefined> =>
  db
    .updateTable('review_item')
    .set({ release_started_at: now })
    .where('id', '=', row.id)
    .where('state', '=', 'approved')
    .where('expires_at', '>', now)
    .where('release_started_at', 'is not distinct from', row.release_started_at)
    .returning('content')
    .executeTakeFirst()

async function readResult(db: Db, { id }: ReviewItem, box: SecretBox): Promise<ReleaseResult | undefined> {
  const row = await db.selectFrom('review_item').select('result').where('id', '=', uuidOf('rev', id)).executeTakeFirst()
  return row?.result ? unseal<ReleaseResult>(box, id, 'result', row.result) : undefined
}

/** False if the claim is lost. A job may have marked the item as expired during its release. */
async function endClaim(db: Db, owner: ReviewOwner, { id, startedAt }: ReleaseClaim, changes: Updateable<Schema['review_item']>) {
  const { numUpdatedRows } = await db
    .updateTable('review_item')
    .set(changes)
    .where('workspace_id', '=', uuidOf('ws', owner.workspaceId))
    .where('application_id', '=', uuidOf('app', owner.applicationId))
    .where('id', '=', uuidOf('rev', id))
    .where('state', 'in', ['approved', 'expired'])
    .where('release_started_at', '=', startedAt)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
