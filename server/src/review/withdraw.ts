import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { uuidOf } from './review-row.ts'

/** Which of the items about messages: of these messages, or of a conversation. TypeIDs. Or all that a user asked for until then. */
export type Withdrawn =
  | { readonly messageIds: readonly string[] }
  | { readonly sessionId: string }
  | { readonly userId: string; readonly until: Date }

/** What the items are about is gone: nobody decides on them any more, and what they show is erased. */
export async function withdrawReviews(tx: Tx, workspaceId: string, which: Withdrawn, now: Date): Promise<void> {
  if ('messageIds' in which && which.messageIds.length === 0) return
  await tx
    .updateTable('review_item')
    .set({
      content: null,
      result: null,
      // Who is erased is named nowhere.
      ...('userId' in which && { user_id: '' }),
      state: sql<string>`case when state in ('pending', 'approved') then 'expired' else state end`,
      expires_at: sql<Date>`least(expires_at, ${now})`,
    })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where(({ eb, and }) => {
      if ('userId' in which) return and([eb('user_id', '=', which.userId), eb('created_at', '<=', which.until)])
      if ('sessionId' in which) return and([eb('message_id', 'is not', null), eb('session_id', '=', which.sessionId)])
      const messages = which.messageIds.map((id) => uuidOf('msg', id))
      return eb('message_id', 'in', messages)
    })
    .execute()
}
