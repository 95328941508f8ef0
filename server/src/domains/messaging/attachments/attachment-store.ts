import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { fromRow, type RowOf, takeFirst } from '../../../platform/db/from-row.ts'
import { type Page, type PageRequest, readPageFrom } from '../../../platform/db/page.ts'
import { uuidOf, uuidOrNull } from '../../../platform/db/values.ts'
import type { Member } from '../people/member.ts'
import type { Attachment } from './attachment.ts'
import { removeAttachments } from './file-removal.ts'

const toAttachment = (row: RowOf<'message_attachment'>): Attachment =>
  fromRow(row, { id: 'att', workspace_id: 'ws', message_id: 'msg' })

/** A query for the attachments that a member can see: files in the member's conversations, and own uploads that are not sent. */
const attachmentsOf = (db: Db, { workspaceId, user }: Member) =>
  db
    .selectFrom('message_attachment')
    .selectAll('message_attachment')
    .where('message_attachment.workspace_id', '=', uuidOf('ws', workspaceId))
    .where(({ or, and, eb, exists, selectFrom }) =>
      or([
        and([eb('message_id', 'is', null), eb('uploaded_by', '=', user.id)]),
        exists(
          selectFrom('message')
            .innerJoin('conversation_member as membership', 'membership.conversation_id', 'message.conversation_id')
            .select('message.id')
            .whereRef('message.id', '=', 'message_attachment.message_id')
            .where('membership.user_id', '=', user.id),
        ),
      ]),
    )

/** An attachment that the member can see. Undefined also if the attachment exists and the member cannot see it. */
export const findAttachment = (db: Db, member: Member, id: string): Promise<Attachment | undefined> =>
  attachmentsOf(db, member).where('message_attachment.id', '=', uuidOrNull('att', id)).$call(takeFirst(toAttachment))

/** The uploads of the member that the member can still see, newest first. Undefined if the cursor is not one of them. */
export async function listAttachments(db: Db, member: Member, page: PageRequest): Promise<Page<Attachment> | undefined> {
  const placeOf = async (cursor: string) => {
    const attachment = await findAttachment(db, member, cursor)
    return attachment?.uploadedBy === member.user.id ? [uuidOf('att', attachment.id)] : undefined
  }
  const query = attachmentsOf(db, member).where('uploaded_by', '=', member.user.id)
  return readPageFrom(query, page, { by: ['message_attachment.id'], order: 'desc', placeOf }, toAttachment)
}

export async function countUnsentUploads(db: Db, { workspaceId, user }: Member, limit: number): Promise<number> {
  const unsent = await db
    .selectFrom('message_attachment')
    .select('id')
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), uploaded_by: user.id }))
    .where('message_id', 'is', null)
    .limit(limit)
    .execute()
  return unsent.length
}

export async function insertAttachment(tx: Tx, attachment: Attachment): Promise<void> {
  const { id, workspaceId, messageId, uploadedBy, filename, mediaType, bytes, sha256, place, createdAt } = attachment
  await tx
    .insertInto('message_attachment')
    .values({
      id: uuidOf('att', id),
      workspace_id: uuidOf('ws', workspaceId),
      message_id: messageId && uuidOf('msg', messageId),
      uploaded_by: uploadedBy,
      filename,
      media_type: mediaType,
      bytes,
      sha256,
      place,
      created_at: createdAt,
    })
    .execute()
}

/** A job deletes its bytes after the commit. `not_found`: it was deleted, or sent with a message, since it was read. */
export async function deleteAttachment(
  tx: Tx,
  { workspaceId }: Member,
  { id, messageId }: Attachment,
  now: Date,
): Promise<'deleted' | 'held' | 'not_found'> {
  const workspace = uuidOf('ws', workspaceId)
  const uuid = uuidOf('att', id)
  const held = await tx
    .selectFrom('held_message')
    .select('id')
    .where('workspace_id', '=', workspace)
    .where(sql<boolean>`attachments @> array[${uuid}::uuid]`)
    .executeTakeFirst()
  if (held) return 'held'
  const message = messageId && uuidOf('msg', messageId)
  const condition = sql`workspace_id = ${workspace} and id = ${uuid} and message_id is not distinct from ${message}::uuid`
  return (await removeAttachments(tx, condition, now)) === 0 ? 'not_found' : 'deleted'
}

/** Deletes up to `limit` unsent uploads from before `before`, except files of held messages. Returns their number. */
export async function removeUnsentUploads(db: Db, before: Date, now: Date, limit: number): Promise<number> {
  const expired = sql`
    select id from message_attachment
    where message_id is null and created_at < ${before}
      and not exists (
        select from held_message
        where held_message.workspace_id = message_attachment.workspace_id and attachments @> array[message_attachment.id]
      )
    order by created_at limit ${limit} for update skip locked`
  return removeAttachments(db, sql`id = any(array(${expired}))`, now)
}
