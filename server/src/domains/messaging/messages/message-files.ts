import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { fromId, toId } from '../../../platform/lib/id.ts'
import type { GovernedString } from '../../../shared/governed.ts'
import { type Refusal, refuseInvalid } from '../../../shared/refusal.ts'
import { type Attachment, attachmentEvent } from '../attachments/attachment.ts'
import { emit } from '../events/outbox.ts'
import type { Member } from '../people/member.ts'

/** `att_…` of a message's files. */
export async function findAttachmentIds(db: Db, messageId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('message_attachment')
    .select('id')
    .where('message_id', '=', uuidOf('msg', messageId))
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => toId('att', id))
}

/** The 400 for files that are not the caller's or were sent before. */
export const refuseFiles = (): Refusal =>
  refuseInvalid({ param: 'attachments', message: 'must be ids of files that the caller has uploaded and not sent yet' })

/** An upload of a member, with what policies read of it. */
export type SentFile = Pick<Attachment, 'filename' | 'mediaType' | 'bytes' | 'fileKey'>

/**
 * The member's uploads, in the order of the ids, for policies. Undefined if a file is not the member's or was sent with a message other
 * than `messageId`.
 */
export async function findSentFiles(
  db: Db,
  { workspaceId, user }: Member,
  ids: readonly string[],
  messageId?: string,
): Promise<SentFile[] | undefined> {
  if (ids.length === 0) return []
  const uuids = ids.map((id) => fromId('att', id))
  const validUuids = uuids.filter((uuid) => uuid !== undefined)
  const rows = await db
    .selectFrom('message_attachment')
    .select(['id', 'filename', 'media_type', 'bytes', 'place'])
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('uploaded_by', '=', user.id)
    .where('id', 'in', validUuids.length > 0 ? validUuids : [null])
    .where(({ or, eb }) =>
      or([eb('message_id', 'is', null), ...(messageId === undefined ? [] : [eb('message_id', '=', uuidOf('msg', messageId))])]),
    )
    .execute()
  const files = new Map(
    rows.map(({ id, filename, media_type: mediaType, bytes, place: fileKey }) => [id, { filename, mediaType, bytes, fileKey }]),
  )
  const found = uuids.map((uuid) => files.get(uuid ?? '')).filter((file) => file !== undefined)
  return found.length === ids.length ? found : undefined
}

/** Removes the message's files except `ids`. A job deletes their bytes after the commit. */
export async function removeOtherFiles(tx: Tx, messageId: string, ids: readonly string[], now: Date): Promise<void> {
  const keptUuids = ids.map((id) => uuidOf('att', id))
  await sql`
    with gone as (
      delete from message_attachment
      where message_id = ${uuidOf('msg', messageId)} and id <> all (${keptUuids}::uuid[])
      returning place
    )
    insert into removed_file (place, removed_at) select place, ${now} from gone on conflict do nothing`.execute(tx)
}

/** Attaches the caller's uploads to a message. Returns a 400 if a file is not the caller's or was sent before. */
export async function attachToMessage(
  tx: Tx,
  { workspaceId, user }: Member,
  messageId: string,
  ids: readonly string[],
): Promise<Refusal | undefined> {
  const uuids = ids.map((id) => fromId('att', id) ?? null)
  const rows = await tx
    .updateTable('message_attachment')
    .set({ message_id: uuidOf('msg', messageId) })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('uploaded_by', '=', user.id)
    .where('message_id', 'is', null)
    .where('id', 'in', uuids)
    .returning(['id', 'media_type', 'bytes', 'created_at'])
    .execute()
  if (rows.length !== ids.length) return refuseFiles()
  // Other members get the event of the message.
  const event = { workspaceId, type: 'attachment.updated', audience: [user.id] } as const
  const attachments = rows.map(({ id, media_type: mediaType, bytes, created_at: createdAt }) => ({
    id: toId('att', id),
    messageId,
    mediaType,
    bytes,
    createdAt,
  }))
  await emit(tx, ...attachments.map((attachment) => ({ ...event, payload: attachmentEvent(attachment) })))
  return undefined
}

/** Stores the governed names of files, one for each id. */
export async function renameFiles(
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
  names: readonly GovernedString[],
): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update message_attachment set filename = named.filename
    from unnest(${ids.map((id) => uuidOf('att', id))}::uuid[], ${[...names]}::text[]) as named (id, filename)
    where workspace_id = ${uuidOf('ws', workspaceId)} and message_attachment.id = named.id
      and message_attachment.filename <> named.filename`.execute(tx)
}

export type MessageFile = Omit<Attachment, 'uploadedBy' | 'sha256' | 'fileKey'>

/** The files of each message, by the message's id. Messages without files are missing. */
export async function findFiles(db: Db, messageIds: readonly string[]): Promise<Map<string, MessageFile[]>> {
  const files = new Map<string, MessageFile[]>()
  if (messageIds.length === 0) return files
  const uuids = messageIds.map((id) => uuidOf('msg', id))
  const rows = await db
    .selectFrom('message_attachment')
    .select(['id', 'message_id', 'filename', 'media_type', 'bytes', 'created_at'])
    .where('message_id', 'in', uuids)
    .orderBy('id')
    .execute()
  for (const { id, message_id, filename, media_type, bytes, created_at } of rows) {
    const messageId = toId('msg', message_id ?? '')
    const file = { id: toId('att', id), messageId, filename, mediaType: media_type, bytes, createdAt: created_at }
    files.set(messageId, [...(files.get(messageId) ?? []), file])
  }
  return files
}
