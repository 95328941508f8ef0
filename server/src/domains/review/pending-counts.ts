import type { Db } from '../../platform/db/database.ts'
import type { ReviewKind } from './review.ts'
import { uuidOf } from './review-row.ts'

export interface PendingCount {
  readonly kind: ReviewKind
  readonly count: number
  /** Creation of the oldest item. */
  readonly oldest: Date
  readonly nextExpiry: Date
}

/** The pending review items of a Workspace by kind. A kind without pending items has no entry. */
export async function countPending(db: Db, workspaceId: string, now: Date): Promise<PendingCount[]> {
  const rows = await db
    .selectFrom('review_item')
    .select(['kind', (of) => of.fn.countAll<number>().as('count')])
    .select((of) => [of.fn.min('created_at').as('oldest'), of.fn.min('expires_at').as('next')])
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .groupBy('kind')
    .execute()
  return rows.map(({ kind, count, oldest, next }) => ({
    kind,
    count: Number(count),
    oldest: oldest as Date,
    nextExpiry: next as Date,
  }))
}
