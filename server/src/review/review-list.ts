import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { fromId } from '../lib/id.ts'
import type { ReviewItem, ReviewKind, ReviewState } from './review.ts'
import { ITEM_COLUMNS, toItem, uuidOf } from './review-row.ts'

export interface ReviewQuery {
  readonly state?: ReviewState | undefined
  readonly kind?: ReviewKind | undefined
  /** `app_…` */
  readonly applicationId?: string | undefined
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  readonly limit: number
  readonly now: Date
}

export interface ReviewPage {
  readonly items: readonly ReviewItem[]
  /** null: this was the last page. */
  readonly nextCursor: string | null
}

/**
 * One page of a Workspace's items: those that wait (`state: 'pending'`) oldest first, since they are the next to expire,
 * everything else newest first. The cursor is the id of the last item seen, so that pages stay whole while items come and
 * go. Undefined when `cursor` or `applicationId` is no id.
 */
export async function listReviews(db: Db, workspaceId: string, query: ReviewQuery): Promise<ReviewPage | undefined> {
  const { state, kind, cursor, limit, now } = query
  const oldestFirst = state === 'pending'
  let rows = db.selectFrom('review_item').select(ITEM_COLUMNS).where('workspace_id', '=', uuidOf('ws', workspaceId))
  if (state) rows = rows.where(inState(state, now))
  if (kind) rows = rows.where('kind', '=', kind)
  if (query.applicationId !== undefined) {
    const application = fromId('app', query.applicationId)
    if (application === undefined) return undefined
    rows = rows.where('application_id', '=', application)
  }
  if (cursor !== undefined) {
    const after = fromId('rev', cursor)
    if (after === undefined) return undefined
    rows = rows.where('id', oldestFirst ? '>' : '<', after)
  }
  const found = await rows
    .orderBy('id', oldestFirst ? 'asc' : 'desc')
    .limit(limit + 1)
    .execute()
  const items = found.slice(0, limit).map((row) => toItem(row, now))
  return { items, nextCursor: found.length > limit ? (items.at(-1)?.id ?? null) : null }
}

/** `stateAt` as a condition. */
const inState =
  (state: ReviewState, now: Date) =>
  (where: ExpressionBuilder<Schema, 'review_item'>): Expression<SqlBool> => {
    const waiting = ['pending', 'approved']
    if (state === 'expired') {
      return where.or([
        where('state', '=', 'expired'),
        where.and([where('state', 'in', waiting), where('expires_at', '<=', now)]),
      ])
    }
    const stored = where('state', '=', state)
    return waiting.includes(state) ? where.and([stored, where('expires_at', '>', now)]) : stored
  }
