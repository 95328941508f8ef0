import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { fromId } from '../lib/id.ts'
import type { ReviewItem, ReviewKind } from './review.ts'
import { ITEM_COLUMNS, toItem, uuidOf } from './review-row.ts'
import { getReview } from './review-store.ts'

/** Who decides, and why. */
export interface Judgement {
  /** The operator's id; as a user's id it must not be the one that asked. */
  readonly by: string
  /** Other ids under which the same person may have asked, or issued the key that it was asked with. */
  readonly alsoAs?: readonly string[]
  readonly comment: string | null
  readonly now: Date
}

/** `conflict`: decided before, expired, or not of a kind that this decides; `item` shows which. */
export type Decided =
  | { readonly kind: 'decided'; readonly item: ReviewItem }
  | { readonly kind: 'conflict'; readonly item: ReviewItem }
  | { readonly kind: 'own_request' }
  /** They issued the key that it was asked with. */
  | { readonly kind: 'own_key' }
  | { readonly kind: 'not_found' }

/**
 * Approves or denies a hold. The first decision stands, however many come at once; a denial erases the content with it.
 * After the commit, tell the waiters (`ReviewWaiters.changed`).
 */
export const decide = (
  tx: Tx,
  workspaceId: string,
  id: string,
  { verdict, ...judgement }: Judgement & { readonly verdict: 'approved' | 'denied' },
): Promise<Decided> => settle(tx, workspaceId, id, 'hold', verdict, judgement)

/** Takes an escalation off the queue: somebody has seen it. */
export const acknowledgeEscalation = (tx: Tx, workspaceId: string, id: string, judgement: Judgement): Promise<Decided> =>
  settle(tx, workspaceId, id, 'escalation', 'acknowledged', judgement)

async function settle(
  tx: Db,
  workspaceId: string,
  id: string,
  kind: ReviewKind,
  state: 'approved' | 'denied' | 'acknowledged',
  { by, alsoAs = [], comment, now }: Judgement,
): Promise<Decided> {
  const own = [by, ...alsoAs]
  const row = await tx
    .updateTable('review_item')
    .set({ state, decided_by: by, decided_at: now, comment, ...(state === 'denied' ? { content: null } : {}) })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', fromId('rev', id) ?? null)
    .where('kind', '=', kind)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .where('user_id', 'not in', own)
    .where(sql<boolean>`not key_issuers && ${own}::text[]`)
    .returning(ITEM_COLUMNS)
    .executeTakeFirst()
  if (row) return { kind: 'decided', item: toItem(row, now) }

  const item = await getReview(tx, workspaceId, id, now)
  if (!item) return { kind: 'not_found' }
  if (own.includes(item.userId)) return { kind: 'own_request' }
  return item.keyIssuers.some((issuer) => own.includes(issuer)) ? { kind: 'own_key' } : { kind: 'conflict', item }
}
