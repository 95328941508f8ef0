import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { fromId } from '../../platform/lib/id.ts'
import type { ReviewState } from './review.ts'
import { expireIfOpen, itemsOf, type ReviewItem } from './review-row.ts'

/** Number of items by state. A state without items is absent. */
export type StateCounts = Readonly<Partial<Record<ReviewState, number>>>

export interface ReviewHistory {
  /** Items of the same first rule and the same Application. */
  readonly like: StateCounts
  /** Items of the same user; undefined: the item has no user. */
  readonly user: StateCounts | undefined
}

/** How other items that were created since `from` were decided. */
export async function readReviewHistory(db: Db, item: ReviewItem, from: Date, now: Date): Promise<ReviewHistory> {
  const [rule] = item.rules
  const application = item.applicationId === null ? null : (fromId('app', item.applicationId) ?? null)
  const isLike = sql<SqlBool>`application_id is not distinct from ${application}::uuid
    and rules @> ${JSON.stringify([{ id: rule?.id }])}::jsonb`
  const isOfUser = sql<SqlBool>`user_id = ${item.userId} and user_id <> ''`
  return {
    like: rule ? await countStates(db, item, isLike, { from, now }) : {},
    user: item.userId === '' ? undefined : await countStates(db, item, isOfUser, { from, now }),
  }
}

async function countStates(
  db: Db,
  { id, workspaceId }: ReviewItem,
  condition: RawBuilder<SqlBool>,
  { from, now }: { readonly from: Date; readonly now: Date },
): Promise<StateCounts> {
  const state = sql<ReviewState>`case when expires_at <= ${now} then ${expireIfOpen} else state end`
  const rows = await itemsOf(db, workspaceId)
    .where('created_at', '>=', from)
    .where('id', '<>', fromId('rev', id) ?? '')
    .where(condition)
    .select([state.as('state'), (of) => of.fn.countAll<number>().as('count')])
    .groupBy(sql`1`)
    .execute()
  return Object.fromEntries(rows.map((row) => [row.state, Number(row.count)]))
}
