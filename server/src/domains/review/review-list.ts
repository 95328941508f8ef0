import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { cursorOf, type Page, type PageRequest, pageById, readPage } from '../../platform/db/page.ts'
import type { Schema } from '../../platform/db/schema.ts'
import { uuidOf, uuidOrNull } from '../../platform/db/values.ts'
import { fromId } from '../../platform/lib/id.ts'
import type { ReviewKind, ReviewState } from './review.ts'
import { ITEM_COLUMNS, itemOf, type ReviewItem, toItem } from './review-row.ts'

export interface ReviewQuery extends PageRequest {
  readonly id?: string | undefined
  readonly state?: ReviewState | undefined
  readonly kind?: ReviewKind | undefined
  readonly applicationId?: string | undefined
  /** Operators (`opr_…`) to whom the items are assigned; empty: unassigned. */
  readonly assignedTo?: readonly string[] | undefined
  readonly rule?: string | undefined
  readonly userId?: string | undefined
  readonly now: Date
}

/** Pending items: those first that expire next; otherwise newest first. Undefined if `after` or `applicationId` is invalid. */
export async function listReviews(db: Db, workspaceId: string, query: ReviewQuery): Promise<Page<ReviewItem> | undefined> {
  const { state, kind, now } = query
  let rows = db.selectFrom('review_item').select(ITEM_COLUMNS).where('workspace_id', '=', uuidOf('ws', workspaceId))
  if (state) rows = rows.where(inState(state, now))
  if (kind) rows = rows.where('kind', '=', kind)
  // Repeats the predicate of the partial index, so that prepared plans can use it.
  if (kind && kind !== 'hold') rows = rows.where('kind', '<>', sql.lit('hold'))
  if (query.id !== undefined) rows = rows.where('id', '=', uuidOrNull('rev', query.id))
  if (query.applicationId !== undefined) {
    const application = fromId('app', query.applicationId)
    if (application === undefined) return undefined
    rows = rows.where('application_id', '=', application)
  }
  if (query.rule !== undefined) rows = rows.where(sql<SqlBool>`rules @> ${JSON.stringify([{ id: query.rule }])}::jsonb`)
  // As the partial index of users, so that prepared plans can use it.
  if (query.userId !== undefined) rows = rows.where('user_id', '=', query.userId).where('user_id', '<>', sql.lit(''))
  if (query.assignedTo) {
    const { assignedTo } = query
    rows = assignedTo.length === 0 ? rows.where('assigned_to', 'is', null) : rows.where('assigned_to', 'in', assignedTo)
  }
  if (state !== 'pending') return pageById(rows, 'rev', query, (row) => toItem(row, now), { order: 'desc' })
  const place = await placeOf(db, workspaceId, cursorOf(query))
  return place && readPage(rows, query, { by: ['expires_at', 'id'], place: place.after }, (row) => toItem(row, now))
}

async function placeOf(db: Db, workspaceId: string, cursor: string | undefined) {
  if (cursor === undefined) return { after: undefined }
  const id = fromId('rev', cursor)
  if (id === undefined) return undefined
  const row = await itemOf(db, workspaceId, cursor).select('expires_at').executeTakeFirst()
  return row && { after: [row.expires_at, id] }
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
