import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { type Page, type PageRequest, pageById } from '../db/page.ts'
import type { Schema } from '../db/schema.ts'
import { fromId } from '../lib/id.ts'
import type { ReviewItem, ReviewKind, ReviewState } from './review.ts'
import { ITEM_COLUMNS, toItem, uuidOf } from './review-row.ts'

export interface ReviewQuery extends PageRequest {
  readonly state?: ReviewState | undefined
  readonly kind?: ReviewKind | undefined
  /** `app_…` */
  readonly applicationId?: string | undefined
  readonly now: Date
}

/**
 * One page of a Workspace's review items: with `state: 'pending'` oldest first, because these expire next, otherwise newest first.
 * Returns undefined if `after` or `applicationId` is invalid.
 */
export async function listReviews(db: Db, workspaceId: string, query: ReviewQuery): Promise<Page<ReviewItem> | undefined> {
  const { state, kind, now } = query
  let rows = db.selectFrom('review_item').select(ITEM_COLUMNS).where('workspace_id', '=', uuidOf('ws', workspaceId))
  if (state) rows = rows.where(inState(state, now))
  if (kind) rows = rows.where('kind', '=', kind)
  // Repeats the predicate of the partial index, so that prepared plans can use it.
  if (kind && kind !== 'hold') rows = rows.where('kind', '<>', sql.lit('hold'))
  if (query.applicationId !== undefined) {
    const application = fromId('app', query.applicationId)
    if (application === undefined) return undefined
    rows = rows.where('application_id', '=', application)
  }
  return pageById(rows, 'rev', query, (row) => toItem(row, now), { order: state === 'pending' ? 'asc' : 'desc' })
}

/** {@link stateAt} as a condition of SQL. */
const inState =
  (state: ReviewState, now: Date) =>
  (where: ExpressionBuilder<Schema, 'review_item'>): Expression<SqlBool> => {
    const open: readonly ReviewState[] = ['pending', 'approved']
    if (state === 'expired') {
      return where.or([where('state', '=', 'expired'), where.and([where('state', 'in', open), where('expires_at', '<=', now)])])
    }
    const stored = where('state', '=', state)
    return open.includes(state) ? where.and([stored, where('expires_at', '>', now)]) : stored
  }
