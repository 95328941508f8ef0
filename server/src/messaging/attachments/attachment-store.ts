import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { cursorOf, type Page, type PageRequest, readPage } from '../../db/page.ts'
import { fromId, toId } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import { uuidOf } from '../ids.ts'
import type { Attachment } from './attachment.ts'
import type { MessageAttachmentTable } from './tables.ts'

const toAttachment = (row: Selectable<MessageAttachmentTable>): Attachment => ({
  id: toId('att', row.id),
  messageId: row.message_id && toId('msg', row.message_id),
  uploadedBy: row.uploaded_by,
  filename: row.filename,
  mediaType: row.media_type,
  bytes: row.bytes,
  sha256: row.sha256,
  place: row.place,
  createdAt: row.created_at,
})

/** What the member may see: files of messages in the member's conversations, and own ones that wait to be sent. */
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

/** Undefined unless there is one and the member may see it: nobody else can tell the difference. */
export async function findAttachment(db: Db, member: Member, id: string): Promise<Attachment | undefined> {
  const row = await attachmentsOf(db, member)
    .where('message_attachment.id', '=', fromId('att', id) ?? null)
    .executeTakeFirst()
  return row && toAttachment(row)
}

/** The member's own uploads that the member still sees, newest first. Undefined when the cursor is not one of them. */
export async function listAttachments(db: Db, member: Member, page: PageRequest): Promise<Page<Attachment> | undefined> {
  const cursor = cursorOf(page)
  const beside = cursor === undefined ? undefined : await findAttachment(db, member, cursor)
  if (cursor !== undefined && beside?.uploadedBy !== member.user.id) return undefined
  const query = attachmentsOf(db, member).where('uploaded_by', '=', member.user.id)
  const place = beside && [uuidOf('att', beside.id)]
  return readPage(query, page, { by: ['message_attachment.id'], order: 'desc', place }, toAttachment)
}

/** How many of the member's uploads wait to be sent; counted up to `most`. */
export async function countUnsentUploads(db: Db, { workspaceId, user }: Member, most: number): Promise<number> {
  const unsent = db
    .selectFrom('message_attachment')
    .select('id')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('uploaded_by', '=', user.id)
    .where('message_id', 'is', null)
    .limit(most)
  const { count } = await db
    .selectFrom(unsent.as('unsent'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** `attachment.place` is where its bytes are already. */
export async function insertAttachment(tx: Tx, { workspaceId }: Member, attachment: Attachment): Promise<void> {
  const { id, messageId, uploadedBy, filename, mediaType, bytes, sha256, place, createdAt } = attachment
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

export type Deletion = 'deleted' | 'held' | 'gone'

/** Removes one that has been found before, unless a message that waits for a reviewer is to carry it. Its bytes go once this is committed. */
export async function deleteAttachment(tx: Tx, { workspaceId }: Member, attachment: Attachment, now: Date): Promise<Deletion> {
  const workspace = uuidOf('ws', workspaceId)
  const id = uuidOf('att', attachment.id)
  const held = await tx
    .selectFrom('held_message')
    .select('id')
    .where('workspace_id', '=', workspace)
    .where(sql<boolean>`attachments @> array[${id}::uuid]`)
    .executeTakeFirst()
  if (held) return 'held'
  const { rows } = await sql`
    with gone as (
      delete from message_attachment
      where workspace_id = ${workspace} and id = ${id}
        and message_id is not distinct from ${attachment.messageId && uuidOf('msg', attachment.messageId)}::uuid
      returning place
    )
    insert into removed_file (place, removed_at) select place, ${now} from gone returning place`.execute(tx)
  return rows.length === 0 ? 'gone' : 'deleted'
}

/** Removes up to `most` uploads from before `before` that nobody has sent, and that no held message waits with; answers how many. */
export async function removeUnsentUploads(db: Db, before: Date, now: Date, most: number): Promise<number> {
  const { rows } = await sql`
    with due as (
      select id from message_attachment
      where message_id is null and created_at < ${before}
        and not exists (
          select from held_message
          where held_message.workspace_id = message_attachment.workspace_id and attachments @> array[message_attachment.id]
        )
      order by created_at limit ${most} for update skip locked
    ), gone as (
      delete from message_attachment using due where message_attachment.id = due.id returning place
    )
    insert into removed_file (place, removed_at) select place, ${now} from gone returning place`.execute(db)
  return rows.length
}
