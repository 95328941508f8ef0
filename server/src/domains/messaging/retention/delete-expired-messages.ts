import type { Db } from '../../../platform/db/database.ts'
import { inTransaction } from '../../../platform/db/retried-transaction.ts'
import type { Schema } from '../../../platform/db/schema.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import { deleteMessages } from '../messages/message-store.ts'

const DAY_MS = 24 * 3_600_000
const BATCH = 200

/** Emits the same events as if the senders had deleted the messages. Returns how many. */
export function deleteExpiredOfWorkspace(db: Db, workspaceId: string, days: number, now: Date): Promise<number> {
  const expired = olderThan(db, days, now).where('workspace_id', '=', uuidOf('ws', workspaceId))
  return deleteInBatches(db, () => expired.execute(), now)
}

export async function deleteExpiredOfConversations(db: Db, now: Date): Promise<number> {
  let deleted = 0
  for (let after: string | undefined; ; ) {
    let query = db.selectFrom('conversation').select(['id', 'retention_days']).where('retention_days', 'is not', null)
    if (after !== undefined) query = query.where('id', '>', after)
    const page = await query.orderBy('id').limit(BATCH).execute()
    for (const { id, retention_days: days } of page) {
      const expired = olderThan(db, days ?? 0, now).where('conversation_id', '=', id)
      deleted += await deleteInBatches(db, () => expired.execute(), now)
    }
    after = page.at(-1)?.id
    if (page.length < BATCH) return deleted
  }
}

/** The oldest messages that were sent more than this many days ago. */
const olderThan = (db: Db, days: number, now: Date) =>
  db
    .selectFrom('message')
    .select(['id', 'conversation_id', 'workspace_id'])
    .where('created_at', '<', new Date(now.getTime() - days * DAY_MS))
    .orderBy('created_at')
    .limit(BATCH)

type MessageReference = Pick<Schema['message'], 'id' | 'conversation_id' | 'workspace_id'>

/** Deletes the messages that `next` finds until it finds none. Returns how many. */
export async function deleteInBatches(db: Db, next: () => Promise<readonly MessageReference[]>, now: Date): Promise<number> {
  let deleted = 0
  for (;;) {
    const messages = await next()
    if (messages.length === 0) return deleted
    for (const [conversation, rows] of Map.groupBy(messages, (row) => row.conversation_id)) {
      const place = { workspaceId: toId('ws', rows[0]?.workspace_id ?? ''), conversationId: toId('conv', conversation) }
      const ids = rows.map(({ id }) => toId('msg', id))
      const deletedIds = await inTransaction(db, (tx) => deleteMessages(tx, place, ids, now))
      deleted += deletedIds.length
    }
  }
}
