import type { UpdateObject } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'
import type { Schema } from '../../platform/db/schema.ts'
import { uuidOf, uuidOrNull } from '../../platform/db/values.ts'
import { HOLD_LIMIT_MS } from './review.ts'
import { ITEM_COLUMNS, type ReviewItem, toItem } from './review-row.ts'

export interface Question {
  readonly question: string
  readonly by: string
}

/** Asks the requester of a held request. A later question replaces it. Undefined if the Workspace has no such pending hold. */
export const askRequester = (tx: Tx, workspaceId: string, id: string, { question, by }: Question, now: Date) =>
  updatePending(tx, workspaceId, id, { question, asked_by: by, asked_at: now }, now)

/** Moves the expiry of a pending item. Undefined if the Workspace has no such pending item. */
export const extendReview = (tx: Tx, workspaceId: string, id: string, expiresAt: Date, now: Date) =>
  updatePending(tx, workspaceId, id, { expires_at: expiresAt }, now)

/** Whether the expiry of an item may move to `expiresAt`: later than now planned, within the longest lifetime that a rule can set. */
export const mayExtend = ({ expiresAt: current, createdAt }: ReviewItem, expiresAt: Date): boolean =>
  expiresAt > current && expiresAt.getTime() <= createdAt.getTime() + HOLD_LIMIT_MS

async function updatePending(
  tx: Tx,
  workspaceId: string,
  id: string,
  values: UpdateObject<Schema, 'review_item'>,
  now: Date,
): Promise<ReviewItem | undefined> {
  const row = await tx
    .updateTable('review_item')
    .set(values)
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuidOrNull('rev', id))
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .returning(ITEM_COLUMNS)
    .executeTakeFirst()
  return row && toItem(row, now)
}
