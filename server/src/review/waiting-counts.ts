import type { Db } from '../db/database.ts'
import type { ReviewKind } from './review.ts'
import { uuidOf } from './review-row.ts'

export interface WaitingCount {
  readonly kind: ReviewKind
  readonly count: number
  readonly oldest: Date
  readonly nextExpiry: Date
}

/** What waits for people in a Workspace, by its kind; a kind of which nothing waits is left out. */
export async function countWaiting(db: Db, workspaceId: string, now: Date): Promise<WaitingCount[]> {
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
    kind: kind as ReviewKind,
    count: Number(count),
    oldest: oldest as Date,
    nextExpiry: next as Date,
  }))
}
