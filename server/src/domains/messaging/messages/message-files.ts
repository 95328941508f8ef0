import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { fromRow } from '../../../platform/db/from-row.ts'
import { uuidOf, uuidOrNull } from '../../../platform/db/values.ts'
import { fromId, toId } from '../../../platform/lib/id.ts'
import type { GovernedString } from '../../../shared/governed.ts'
import { type Refusal, refuseInvalid } from '../../../shared/refusal.ts'
import { type Attachment, attachmentEvent } from '../attachments/attachment.ts'
import { removeAttachments } from '../attachments/file-removal.ts'
import { emit } from '../events/event.ts'
import type { Member } from '../people/member.ts'

export async function findAttachmentIds(db: Db, messageId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('message_attachment')
    .select('id')
    .where('message_id', '=', uuidOf('msg', messageId))
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => toId('att', id))
}

export const refuseFiles = (): Refusal =>
  refuseInvalid({ param: 'attachments', message: 'must be ids of files that the caller has uploaded and not sent yet' })

export type SentFile = Pick<Attachment, 'filename' | 'mediaType' | 'bytes' | 'place'>

/** Files in the order of the ids. Undefined if one is not the member's, or was sent with a message other than `messageId`. */
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
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), uploaded_by: user.id }))
    .where('id', 'in', validUuids.length > 0 ? validUuids : [null])
    .where(({ or, eb }) =>
      or([eb('message_id', 'is', null), ...(messageId === undefined ? [] : [eb('message_id', '=', uuidOf('msg', messageId))])]),
    )
    .execute()
  const files = new Map(rows.map(({ id, ...row }) => [id, fromRow(row)]))
  const found = uuids.map((uuid) => files.get(uuid ?? '')).filter((file) => file !== undefined)
  return found.length === ids.length ? found : undefined
}

export async function removeOtherFiles(tx: Tx, messageId: string, ids: readonly string[], now: Date): Promise<void> {
  const kept = ids.map((id) => uuidOf('att', id))
  await removeAttachments(tx, sql`message_id = ${uuidOf('msg', messageId)} and id <> all (${kept}::uuid[])`, now)
}

export async function attachToMessage(
  tx: Tx,
  { workspaceId, user }: Member,
  messageId: string,
  ids: readonly string[],
): Promise<Refusal | undefined> {
  const uuids = ids.map((id) => uuidOrNull('att', id))
  const rows = await tx
    .updateTable('message_attachment')
    .set({ message_id: uuidOf('msg', messageId) })
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), uploaded_by: user.id }))
    .where('message_id', 'is', null)
    .where('id', 'in', uuids)
    .returning(['id', 'media_type', 'bytes', 'created_at'])
    .execute()
  if (rows.length !== ids.length) return refuseFiles()
  // Other members get the event of the message.
  const event = { workspaceId, type: 'attachment.updated', audience: [user.id] } as const
  const attachments = rows.map((row) => ({ ...fromRow(row, { id: 'att' }), messageId }))
  await emit(tx, ...attachments.map((attachment) => ({ ...event, payload: attachmentEvent(attachment) })))
  return undefined
}

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

export type MessageFile = Omit<Attachment, 'workspaceId' | 'uploadedBy' | 'sha256' | 'place'>

export async function findFiles(db: Db, messageIds: readonly string[]): Promise<Map<string, MessageFile[]>> {
  if (messageIds.length === 0) return new Map()
  const uuids = messageIds.map((id) => uuidOf('msg', id))
  const rows = await db
    .selectFrom('message_attachment')
    .select(['id', 'message_id', 'filename', 'media_type', 'bytes', 'created_at'])
    .where('message_id', 'in', uuids)
    .orderBy('id')
    .execute()
  return Map.groupBy(
    rows.map((row) => fromRow(row, { id: 'att', message_id: 'msg' })),
    ({ messageId }) => messageId ?? '',
  )
}
