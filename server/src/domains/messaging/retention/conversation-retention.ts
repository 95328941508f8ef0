import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { viewOf } from '../../../platform/lib/view.ts'

/** How long the messages of a conversation are stored, in days; null: without limit. */
export interface Retention {
  readonly days: number | null
  /** The shorter of that and the Workspace's retention. */
  readonly effectiveDays: number | null
}

const Days = Type.Union([Type.Integer({ minimum: 1, maximum: 36_500 }), Type.Null()])

export const RetentionUpdate = Type.Object({ days: { ...Days, description: "null: the Workspace's retention." } })

export const RetentionView = Type.Object({
  object: Type.Literal('retention'),
  conversation_id: Type.String(),
  days: Days,
  effective_days: { ...Days, description: "The shorter of `days` and the Workspace's retention. null: no limit." },
})

export const retentionView = (conversationId: string, retention: Retention) =>
  viewOf(RetentionView, { conversationId, ...retention })

export async function findRetention(db: Db, workspaceId: string, conversationId: string): Promise<Retention> {
  return await db
    .selectFrom('conversation')
    .innerJoin('workspace', 'workspace.id', 'conversation.workspace_id')
    .select('retention_days as days')
    .select(sql<number | null>`least(retention_days, (settings ->> 'message_retention_days')::integer)`.as('effectiveDays'))
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), 'conversation.id': uuidOf('conv', conversationId) }))
    .executeTakeFirstOrThrow()
}

export async function setRetention(tx: Tx, workspaceId: string, conversationId: string, days: number | null): Promise<void> {
  await tx
    .updateTable('conversation')
    .set({ retention_days: days })
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), id: uuidOf('conv', conversationId) }))
    .execute()
}
