import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { fromId } from '../lib/id.ts'
import type { ReviewItem, ReviewKind } from './review.ts'
import { ITEM_COLUMNS, toItem, uuidOf } from './review-row.ts'
import { getReview } from './review-store.ts'

export interface ReviewerDecision {
  /** Id of the operator or admin token. */
  readonly by: string
  /** Other ids of the same operator: admin tokens that the operator issued, and the issuer of this token. */
  readonly otherIds?: readonly string[]
  readonly comment: string | null
  readonly now: Date
}

/** `conflict`: the item is already decided, expired, or of the other kind. */
export type DecisionResult =
  | { readonly kind: 'decided'; readonly item: ReviewItem }
  | { readonly kind: 'conflict'; readonly item: ReviewItem }
  /** The reviewer is the user of the request. */
  | { readonly kind: 'own_request' }
  /** The reviewer issued the API key of the request. */
  | { readonly kind: 'own_key' }
  | { readonly kind: 'not_found' }

/** Approves or denies a hold. The first decision is final. A denial erases the content. Call `ReviewWaiters.changed` after the commit. */
export const decideHold = (
  tx: Tx,
  workspaceId: string,
  id: string,
  { verdict, ...decision }: ReviewerDecision & { readonly verdict: 'approved' | 'denied' },
): Promise<DecisionResult> => writeDecision(tx, workspaceId, id, 'hold', verdict, decision)

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
    .set({ state, decided_by: by, decided_at: now, comment, ...(state === 'denied' ? { content: null } : {}) })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', fromId('rev', id) ?? null)
    .where('kind', '=', kind)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .where('user_id', 'not in', reviewerIds)
    .where(sql<boolean>`not key_issuers && ${reviewerIds}::text[]`)
    .returning(ITEM_COLUMNS)
    .executeTakeFirst()
  if (row) return { kind: 'decided', item: toItem(row, now) }

  const item = await getReview(tx, workspaceId, id, now)
  if (!item) return { kind: 'not_found' }
  if (reviewerIds.includes(item.userId)) return { kind: 'own_request' }
  return item.keyIssuers.some((issuer) => reviewerIds.includes(issuer)) ? { kind: 'own_key' } : { kind: 'conflict', item }
}
