import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'

/** User ids of a conversation's members: the audience of its events. */
export async function findMemberIds(db: Db, workspaceId: string, conversationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('conversation_member')
    .select('user_id')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('conversation_id', '=', uuidOf('conv', conversationId))
    .execute()
  return rows.map(({ user_id }) => user_id)
}
