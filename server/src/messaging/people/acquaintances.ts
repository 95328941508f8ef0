import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { uuidOfWorkspace } from '../../db/values.ts'

/** Who shares a conversation or a group with the user, and the user: those who are told when the user's profile changes. */
export async function findAcquaintances(tx: Tx, workspaceId: string, userId: string): Promise<string[]> {
  const workspace = uuidOfWorkspace(workspaceId)
  const { rows } = await sql<{ user_id: string }>`
    select other.user_id from conversation_member mine join conversation_member other using (workspace_id, conversation_id)
    where mine.workspace_id = ${workspace} and mine.user_id = ${userId}
    union
    select other.user_id from group_member mine join group_member other using (workspace_id, group_id)
    where mine.workspace_id = ${workspace} and mine.user_id = ${userId}
    union
    select ${userId}::text`.execute(tx)
  return rows.map(({ user_id }) => user_id).toSorted()
}
