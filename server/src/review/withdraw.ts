import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { uuidOf } from './review-row.ts'

/** Which of the items about messages: of these messages, or of a conversation. TypeIDs. */
export type Withdrawn = { readonly messageIds: readonly string[] } | { readonly sessionId: string }

/** What the items are about is gone: nobody decides on them any more, and what they show is erased. */
export async function withdrawReviews(tx: Tx, workspaceId: string, which: Withdrawn, now: Date): Promise<void> {
  if ('messageIds' in which && which.messageIds.length === 0) return
  await tx
    .updateTable('review_item')
    .set({
      content: null,
      result: null,
      state: sql<string>`case when state in ('pending', 'approved') then 'expired' else state end`,
      expires_at: sql<Date>`least(expires_at, ${now})`,
    })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('message_id', 'is not', null)
    .where((of) =>
      'sessionId' in which
        ? of('session_id', '=', which.sessionId)
        : of(
            'message_id',
            'in',
            which.messageIds.map((id) => uuidOf('msg', id)),
          ),
    )
    .execute()
}
