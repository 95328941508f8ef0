import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { fromRow, type RowOf } from '../../../platform/db/from-row.ts'
import { type Page, type PageRequest, readPageFrom } from '../../../platform/db/page.ts'
import type { Schema } from '../../../platform/db/schema.ts'
import { uuidOf, uuidOrNull } from '../../../platform/db/values.ts'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import { fromId, newUuid, toId } from '../../../platform/lib/id.ts'
import { isGroupOwner, lockGroupMembers } from '../people/group-member-store.ts'
import type { Member } from '../people/member.ts'
import { type Conversation, type CountedConversation, MAX_UNREAD_COUNT } from './conversation.ts'

const conversationsOf = (db: Db, { workspaceId, user }: Member) =>
  db
    .selectFrom('conversation_member as membership')
    .innerJoin('conversation', 'conversation.id', 'membership.conversation_id')
    .where(({ and }) => and({ 'membership.workspace_id': uuidOf('ws', workspaceId), 'membership.user_id': user.id }))

const CONVERSATION_COLUMNS = [
  'conversation.id',
  'conversation.workspace_id',
  'group_id',
  'direct_key',
  'pinned_message_id',
  'last_sequence',
  'last_active_at',
  'conversation.created_at',
  'is_pinned',
  'is_muted',
  'archived_at',
  'last_opened_at',
  'read_sequence',
] as const

const unreadCount = sql<number>`(
  select count(*) from (
    select from message
    where message.conversation_id = membership.conversation_id and message.sequence > membership.read_sequence
      and message.sender_id <> membership.user_id
    limit ${sql.lit(MAX_UNREAD_COUNT)}
  ) as unread
)`.as('unread_count')

type Row = Omit<RowOf<'conversation'>, 'retention_days' | 'created_by'> &
  Pick<Schema['conversation_member'], 'is_pinned' | 'is_muted' | 'archived_at' | 'last_opened_at' | 'read_sequence'>

const toConversation = <R extends Row>({ direct_key: key, ...row }: R, { user }: Member) => ({
  ...fromRow(row, { id: 'conv', workspace_id: 'ws', group_id: 'grp', pinned_message_id: 'msg' }),
  contactId: key && otherUserOf(key, user.id),
})

const directKeyOf = (userId: string, contactId: string): string => canonicalJson([userId, contactId].toSorted())

const otherUserOf = (directKey: string, userId: string): string | null =>
  (JSON.parse(directKey) as string[]).find((id) => id !== userId) ?? null

const conversationOf = (db: Db, member: Member, id: string) =>
  conversationsOf(db, member).select(CONVERSATION_COLUMNS).where('membership.conversation_id', '=', uuidOrNull('conv', id))

/** A conversation of the member. Undefined also if the conversation exists and the member is not in it. */
export async function findConversation(db: Db, member: Member, id: string): Promise<Conversation | undefined> {
  const row = await conversationOf(db, member, id).executeTakeFirst()
  return row && toConversation(row, member)
}

export async function findCountedConversation(db: Db, member: Member, id: string): Promise<CountedConversation | undefined> {
  const row = await conversationOf(db, member, id).select(unreadCount).executeTakeFirst()
  return row && toConversation(row, member)
}

/** A field filters only if it is true (MSG-CONV-2). */
export interface ConversationFilter {
  readonly muted?: boolean | undefined
  readonly archived?: boolean | undefined
  readonly pinned?: boolean | undefined
  readonly groupId?: string | undefined
}

/** The member's conversations, last active first. Undefined if the cursor is not one of them. */
export async function listConversations(
  db: Db,
  member: Member,
  page: PageRequest,
  { muted, archived, pinned, groupId }: ConversationFilter,
): Promise<Page<CountedConversation> | undefined> {
  let query = conversationsOf(db, member)
  if (muted) query = query.where('is_muted', '=', true)
  if (pinned) query = query.where('is_pinned', '=', true)
  if (archived) query = query.where('archived_at', 'is not', null)
  if (groupId !== undefined) query = query.where('group_id', '=', uuidOf('grp', groupId))
  const rows = query.select(CONVERSATION_COLUMNS).select(unreadCount)
  const by = ['membership.sort_at', 'membership.conversation_id']
  const placeOf = (cursor: string) => findPlace(db, member, cursor)
  return readPageFrom(rows, page, { by, order: 'desc', placeOf }, (row) => toConversation(row, member))
}

async function findPlace(db: Db, { workspaceId, user }: Member, conversationId: string) {
  const row = await db
    .selectFrom('conversation_member')
    .select(['sort_at', 'conversation_id'])
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), user_id: user.id }))
    .where('conversation_id', '=', uuidOrNull('conv', conversationId))
    .executeTakeFirst()
  return row && [row.sort_at, row.conversation_id]
}

export async function findMemberIds(db: Db, workspaceId: string, conversationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('conversation_member')
    .select('user_id')
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), conversation_id: uuidOf('conv', conversationId) }))
    .execute()
  return rows.map(({ user_id }) => user_id)
}

export type ConversationPartner = { readonly contactId: string } | { readonly groupId: string }

/** With `distinct`, returns the newest existing one, if there is one. `members`: the user ids of a new one, else empty. */
export async function createConversation(
  tx: Tx,
  member: Member,
  partner: ConversationPartner,
  { distinct, now }: { distinct: boolean; now: Date },
): Promise<{ id: string; created: boolean; members: readonly string[] }> {
  const workspace = uuidOf('ws', member.workspaceId)
  const groupUuid = 'groupId' in partner ? uuidOf('grp', partner.groupId) : null
  const directKey = 'contactId' in partner ? directKeyOf(member.user.id, partner.contactId) : null
  if (distinct) {
    const lock = `conversation ${member.workspaceId} ${groupUuid ?? directKey}`
    await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx)
    const existing = await conversationsOf(tx, member)
      .select('conversation.id')
      .where(groupUuid === null ? 'direct_key' : 'group_id', '=', groupUuid ?? directKey)
      .orderBy('conversation.id', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (existing) return { id: toId('conv', existing.id), created: false, members: [] }
  }
  const members =
    'contactId' in partner ? [member.user.id, partner.contactId] : await lockGroupMembers(tx, member.workspaceId, partner.groupId)
  const id = newUuid()
  await tx
    .insertInto('conversation')
    .values({
      id,
      workspace_id: workspace,
      group_id: groupUuid,
      direct_key: directKey,
      pinned_message_id: null,
      last_sequence: 0,
      last_active_at: null,
      retention_days: null,
      created_by: member.user.id,
      created_at: now,
    })
    .execute()
  await sql`
    insert into conversation_member (workspace_id, conversation_id, user_id, sort_at, is_pinned, is_muted, read_sequence)
    select ${workspace}, ${id}, joining, ${now}, false, false, 0 from unnest(${members}::text[]) as joining`.execute(tx)
  return { id: toId('conv', id), created: true, members }
}

export interface MemberState {
  readonly isPinned?: boolean | undefined
  readonly isMuted?: boolean | undefined
  readonly archivedAt?: Date | null | undefined
}

export async function updateMemberState(tx: Tx, member: Member, id: string, change: MemberState): Promise<void> {
  await tx
    .updateTable('conversation_member')
    .set({ is_pinned: change.isPinned, is_muted: change.isMuted, archived_at: change.archivedAt })
    .where(({ and }) => and({ workspace_id: uuidOf('ws', member.workspaceId), conversation_id: uuidOf('conv', id) }))
    .where('user_id', '=', member.user.id)
    .execute()
}

/** Pins a message of the conversation. null removes the pin. Returns false if the conversation does not have the message. */
export async function pinMessage(tx: Tx, workspaceId: string, id: string, messageId: string | null): Promise<boolean> {
  const message = messageId === null ? null : fromId('msg', messageId)
  if (message === undefined) return false
  const conversation = uuidOf('conv', id)
  if (message !== null) {
    // The lock keeps the message until the pin is stored, so that no pin refers to a deleted message.
    const lockedMessage = await tx
      .selectFrom('message')
      .select('id')
      .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), id: message, conversation_id: conversation }))
      .forShare()
      .executeTakeFirst()
    if (!lockedMessage) return false
  }
  await tx
    .updateTable('conversation')
    .set({ pinned_message_id: message })
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), id: conversation }))
    .execute()
  return true
}

/** Whether the member can delete the conversation: both members of a direct one can, and the owner of a group. */
export async function canDelete(db: Db, member: Member, { groupId }: Conversation): Promise<boolean> {
  return groupId === null || (await isGroupOwner(db, member, groupId))
}
