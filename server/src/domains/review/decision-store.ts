import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { uuidOf, uuidOrNull } from '../../platform/db/values.ts'
import { announceReview } from './announce-review.ts'
import type { Approval, ReviewKind } from './review.ts'
import { ITEM_COLUMNS, itemOf, type ReviewItem, toItem } from './review-row.ts'
import { getReview } from './review-store.ts'

export interface ReviewerDecision {
  readonly by: string
  /** Other ids of the same operator: admin tokens that the operator issued, and the issuer of this token. */
  readonly otherIds?: readonly string[]
  readonly comment: string | null
  readonly now: Date
}

/** `conflict`: the item is already decided, expired, or of the other kind. */
export type DecisionResult =
  | { readonly kind: 'decided' | 'conflict'; readonly item: ReviewItem }
  | { readonly kind: 'own_request' | 'own_key' | 'approved_before' | 'not_found' }

interface HoldDecision extends ReviewerDecision {
  readonly verdict: 'approved' | 'denied'
  /** Those of the earlier approvals that still count. Default: none. */
  readonly validApprovals?: (item: ReviewItem) => Promise<readonly Approval[]>
}

/** An approval before the last leaves the hold pending. Call `ReviewWaiters.changed` after the commit. */
export const decideHold = async (
  tx: Tx,
  workspaceId: string,
  id: string,
  { verdict, ...decision }: HoldDecision,
): Promise<DecisionResult> =>
  (verdict === 'approved' ? await addApproval(tx, workspaceId, id, decision) : undefined) ??
  (await writeDecision(tx, workspaceId, id, 'hold', verdict, decision))

/** Locks an item, because a request at the same time may raise the number of approvals or add an issuer of its key. */
export async function lockReview(tx: Tx, workspaceId: string, id: string, now: Date): Promise<ReviewItem | undefined> {
  const row = await itemOf(tx, workspaceId, id).select(ITEM_COLUMNS).forUpdate().executeTakeFirst()
  return row && toItem(row, now)
}

/** Adds an approval that is not the last one. Undefined: the item needs none, or this one completes it. */
async function addApproval(
  tx: Tx,
  workspaceId: string,
  id: string,
  { by, otherIds = [], comment, now, validApprovals }: Omit<HoldDecision, 'verdict'>,
): Promise<DecisionResult | undefined> {
  const item = await lockReview(tx, workspaceId, id, now)
  if (!item || item.requiredApprovals === 1) return undefined
  const ids = [by, ...otherIds]
  if (item.state !== 'pending' || item.kind !== 'hold') return { kind: 'conflict', item }
  const own = ownPart(item, ids)
  if (own) return { kind: own }
  const earlier = (await validApprovals?.(item)) ?? []
  if (earlier.some((approval) => ids.includes(approval.by))) return { kind: 'approved_before' }
  const approvals = [...earlier, { by, at: now.toISOString(), comment }]
  await tx
    .updateTable('review_item')
    .set({ approvals: JSON.stringify(approvals) })
    .where('id', '=', uuidOf('rev', item.id))
    .execute()
  return approvals.length < item.requiredApprovals ? { kind: 'decided', item: { ...item, approvals } } : undefined
}

export const acknowledgeEscalation = (
  tx: Tx,
  workspaceId: string,
  id: string,
  decision: ReviewerDecision,
): Promise<DecisionResult> => writeDecision(tx, workspaceId, id, 'escalation', 'acknowledged', decision)

async function writeDecision(
  tx: Db,
  workspaceId: string,
  id: string,
  kind: ReviewKind,
  state: 'approved' | 'denied' | 'acknowledged',
  { by, otherIds = [], comment, now }: ReviewerDecision,
): Promise<DecisionResult> {
  const reviewerIds = [by, ...otherIds]
  const row = await tx
    .updateTable('review_item')
    .set({ state, decided_by: by, decided_at: now, comment, ...(state === 'denied' && { content: null, question: null }) })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuidOrNull('rev', id))
    .where('kind', '=', kind)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .where('user_id', 'not in', reviewerIds)
    .where(sql<boolean>`not key_issuers && ${reviewerIds}::text[]`)
    .returning(ITEM_COLUMNS)
    .executeTakeFirst()
  if (row) {
    const item = toItem(row, now)
    await announceReview(tx, 'review.decided', item)
    return { kind: 'decided', item }
  }

  const item = await getReview(tx, workspaceId, id, now)
  if (!item) return { kind: 'not_found' }
  const own = ownPart(item, reviewerIds)
  return own ? { kind: own } : { kind: 'conflict', item }
}

/** The part that an operator has in the request of an item; undefined: none. `ids`: all ids under which the operator acts. */
export function ownPart(
  { userId, keyIssuers }: Pick<ReviewItem, 'userId' | 'keyIssuers'>,
  ids: readonly string[],
): 'own_request' | 'own_key' | undefined {
  if (ids.includes(userId)) return 'own_request'
  return keyIssuers.some((issuer) => ids.includes(issuer)) ? 'own_key' : undefined
}
