import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { NotificationTopic } from './topic.ts'

export async function readTopics(db: Db, operatorId: string): Promise<readonly NotificationTopic[]> {
  const row = await db
    .selectFrom('operator_notification')
    .select('topics')
    .where('operator_id', '=', operatorId)
    .executeTakeFirst()
  return row?.topics ?? []
}

/** Replaces the topics. An operator who had none gets only events from now on. */
export async function saveTopics(tx: Tx, operatorId: string, topics: readonly NotificationTopic[]): Promise<void> {
  await tx
    .insertInto('operator_notification')
    .values({ operator_id: operatorId, topics, since: sql<Date>`now()` })
    .onConflict((conflict) =>
      conflict.column('operator_id').doUpdateSet({
        topics,
        since: sql<Date>`case when operator_notification.topics = '{}' then now() else operator_notification.since end`,
      }),
    )
    .execute()
}

export interface Subscriber {
  readonly operatorId: string
  readonly topics: readonly NotificationTopic[]
  readonly since: Date
}

export const listSubscribers = (db: Db): Promise<Subscriber[]> =>
  db
    .selectFrom('operator_notification')
    .select(['operator_id as operatorId', 'topics', 'since'])
    .where(sql<boolean>`topics <> '{}'`)
    .orderBy('operator_id')
    .execute()
