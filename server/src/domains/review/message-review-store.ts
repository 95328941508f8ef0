import { sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'
import { uuidOf } from '../../platform/db/values.ts'
import { expireIfOpen, ITEM_COLUMNS, type ReviewItem, toItem } from './review-row.ts'

/** An approval stores the message immediately, so there is no resubmission (GW-REV-11). */
export async function releaseHeldMessage(
  tx: Tx,
  { id, workspaceId }: ReviewItem,
  auditId: string,
  now: Date,
): Promise<ReviewItem> {
  const row = await tx
    .updateTable('review_item')
    .set({ state: 'released', released_at: now, released_audit_id: uuidOf('aud', auditId), content: null })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuidOf('rev', id))
    .where('state', '=', 'approved')
    .returning(ITEM_COLUMNS)
    .executeTakeFirstOrThrow()
  return toItem(row, now)
}

/** Selects the items of some messages, of a conversation, or of all requests of a user until a time. Ids are TypeIDs. */
export type ReviewSelection =
  | { readonly messageIds: readonly string[] }
  | { readonly sessionId: string }
  | { readonly userId: string; readonly until: Date }

/** Ends review items whose messages or user were erased: their content is erased and they expire now. */
export async function withdrawReviews(tx: Tx, workspaceId: string, selection: ReviewSelection, now: Date): Promise<void> {
  if ('messageIds' in selection && selection.messageIds.length === 0) return
  await tx
    .updateTable('review_item')
    .set({
      content: null,
      result: null,
      // It may quote the content.
      question: null,
      // The id of an erased user must not stay in any table.
      ...('userId' in selection && { user_id: '' }),
      state: expireIfOpen,
      expires_at: sql<Date>`least(expires_at, ${now})`,
    })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where(({ eb, and }) => {
      if ('userId' in selection) return and([eb('user_id', '=', selection.userId), eb('created_at', '<=', selection.until)])
      if ('sessionId' in selection) return and([eb('message_id', 'is not', null), eb('session_id', '=', selection.sessionId)])
      const messages = selection.messageIds.map((id) => uuidOf('msg', id))
      return eb('message_id', 'in', messages)
    })
    .execute()
}
