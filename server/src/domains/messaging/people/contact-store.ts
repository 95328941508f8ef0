import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { fromRow, takeFirst } from '../../../platform/db/from-row.ts'
import { type Page, type PageRequest, readPageFrom } from '../../../platform/db/page.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { isStorable } from '../../../platform/lib/fields.ts'
import type { GovernedString } from '../../../shared/governed.ts'
import { emit } from '../events/event.ts'
import { type Contact, contactView } from './contact.ts'
import { queryMemberIds } from './group-member-store.ts'
import type { Member } from './member.ts'

/** Precision of `last_active_at`. If every message updated the row, messages that a user sends at once would wait for each other. */
const ACTIVITY_PRECISION_MS = 60_000

const contacts = (db: Db, workspaceId: string) =>
  db
    .selectFrom('workspace_user')
    .leftJoin('contact_profile', (join) =>
      join
        .onRef('contact_profile.workspace_id', '=', 'workspace_user.workspace_id')
        .onRef('contact_profile.user_id', '=', 'workspace_user.id'),
    )
    .select(['workspace_user.id', 'username', 'display_name', 'phone_number', 'avatar_url', 'application_id'])
    .select(['last_active_at', 'workspace_user.created_at'])
    .where('workspace_user.workspace_id', '=', uuidOfWorkspace(workspaceId))

type Row = Awaited<ReturnType<ReturnType<typeof contacts>['executeTakeFirstOrThrow']>>

const toContact = (row: Row): Contact => ({ ...fromRow(row, { application_id: 'app' }), phoneNumber: row.phone_number ?? '' })

export async function findContact(db: Db, workspaceId: string, id: string): Promise<Contact | undefined> {
  if (!isStorable(id)) return undefined
  return contacts(db, workspaceId).where('workspace_user.id', '=', id).$call(takeFirst(toContact))
}

export async function findContacts(db: Db, workspaceId: string, ids: readonly string[]): Promise<Map<string, Contact>> {
  const uniqueIds = [...new Set(ids)].filter(isStorable)
  if (uniqueIds.length === 0) return new Map()
  const rows = await contacts(db, workspaceId).where('workspace_user.id', 'in', uniqueIds).execute()
  return new Map(rows.map((row) => [row.id, toContact(row)]))
}

export interface ContactFilter {
  readonly username?: string | undefined
  /** Only members of this group, including the caller. Default: all contacts except the caller. */
  readonly groupId?: string
}

/** Contacts of the Workspace, sorted by username. Undefined if the cursor is not a contact of the Workspace. */
export async function listContacts(
  db: Db,
  { workspaceId, user }: Member,
  page: PageRequest,
  { username, groupId }: ContactFilter = {},
): Promise<Page<Contact> | undefined> {
  let query = contacts(db, workspaceId)
  if (groupId === undefined) query = query.where('workspace_user.id', '!=', user.id)
  else query = query.where('workspace_user.id', 'in', queryMemberIds(db, workspaceId, groupId))
  if (username !== undefined) query = query.where('username', '=', username)
  const placeOf = async (cursor: string) => {
    const contact = await findContact(db, workspaceId, cursor)
    return contact && [contact.username]
  }
  return readPageFrom(query, page, { by: ['username'], placeOf }, toContact)
}

export interface ProfilePatch {
  readonly displayName?: GovernedString | null | undefined
  readonly phoneNumber?: GovernedString | '' | undefined
  readonly avatarUrl?: GovernedString | null | undefined
}

export async function updateProfile(tx: Tx, { workspaceId, user }: Member, patch: ProfilePatch): Promise<Contact | undefined> {
  const { displayName, phoneNumber, avatarUrl } = patch
  const changed = {
    ...(displayName !== undefined && { display_name: displayName }),
    ...(phoneNumber !== undefined && { phone_number: phoneNumber }),
    ...(avatarUrl !== undefined && { avatar_url: avatarUrl }),
  }
  await tx
    .insertInto('contact_profile')
    .values({ ...EMPTY_PROFILE, workspace_id: uuidOfWorkspace(workspaceId), user_id: user.id, ...changed })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'user_id']).doUpdateSet(changed))
    .execute()
  return findContact(tx, workspaceId, user.id)
}

const EMPTY_PROFILE = {
  display_name: null,
  phone_number: '' as const,
  avatar_url: null,
  application_id: null,
  last_active_at: null,
}

export const recordActivity = ({ workspaceId, user }: Member, now: Date): RawBuilder<unknown> => sql`
  insert into contact_profile (workspace_id, user_id, phone_number, last_active_at)
  select known.workspace_id, known.id, '', ${now}
  from workspace_user as known
  left join contact_profile as profile on profile.workspace_id = known.workspace_id and profile.user_id = known.id
  where known.workspace_id = ${uuidOfWorkspace(workspaceId)} and known.id = ${user.id}
    and (last_active_at is null or last_active_at < ${new Date(now.getTime() - ACTIVITY_PRECISION_MS)})
  on conflict (workspace_id, user_id) do update set last_active_at = excluded.last_active_at`

export async function emitContact(
  tx: Tx,
  type: 'contact.created' | 'contact.updated',
  workspaceId: string,
  userId: string,
  base: string,
): Promise<void> {
  const contact = await findContact(tx, workspaceId, userId)
  if (!contact) return
  const audience = await findAcquaintances(tx, workspaceId, userId)
  await emit(tx, { workspaceId, type, audience, payload: contactView(contact, base) })
}

/** Ids of the user and all users who share a conversation or group with them: the audience of changes to the user's profile. */
export async function findAcquaintances(tx: Tx, workspaceId: string, userId: string): Promise<string[]> {
  const workspace = uuidOfWorkspace(workspaceId)
  const { rows } = await sql<{ user_id: string }>`
    select other.user_id from conversation_member membership join conversation_member other using (workspace_id, conversation_id)
    where membership.workspace_id = ${workspace} and membership.user_id = ${userId}
    union
    select other.user_id from group_member membership join group_member other using (workspace_id, group_id)
    where membership.workspace_id = ${workspace} and membership.user_id = ${userId}
    union
    select ${userId}::text`.execute(tx)
  return rows.map(({ user_id }) => user_id).toSorted()
}
