import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { cursorOf, type Page, type PageRequest, readPage } from '../../db/page.ts'
import { uuidOfWorkspace } from '../../db/values.ts'
import type { GovernedString } from '../../domain/governed.ts'
import { isStorable } from '../../lib/fields.ts'
import { toId } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import { memberIds } from '../groups/group-store.ts'
import type { Contact } from './contact.ts'

/** How exactly `last_active_at` is kept: a write for each message would queue all that one user sends at once. */
const ACTIVE_EVERY_MS = 60_000

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

const contactOf = (row: Row): Contact => ({
  id: row.id,
  username: row.username,
  displayName: row.display_name,
  phoneNumber: row.phone_number ?? '',
  avatarUrl: row.avatar_url,
  applicationId: row.application_id === null ? null : toId('app', row.application_id),
  lastActiveAt: row.last_active_at,
  createdAt: row.created_at,
})

export async function findContact(db: Db, workspaceId: string, id: string): Promise<Contact | undefined> {
  if (!isStorable(id)) return undefined
  const row = await contacts(db, workspaceId).where('workspace_user.id', '=', id).executeTakeFirst()
  return row && contactOf(row)
}

/** Those of the ids that are contacts, by id. */
export async function findContacts(db: Db, workspaceId: string, ids: readonly string[]): Promise<Map<string, Contact>> {
  const asked = [...new Set(ids)].filter(isStorable)
  if (asked.length === 0) return new Map()
  const rows = await contacts(db, workspaceId).where('workspace_user.id', 'in', asked).execute()
  return new Map(rows.map((row) => [row.id, contactOf(row)]))
}

export interface ContactFilter {
  readonly username?: string | undefined
  /** Its members, the caller too; otherwise all of the Workspace but the caller. */
  readonly groupId?: string
}

/** By username. Undefined when the cursor is not a contact of the Workspace. */
export async function listContacts(
  db: Db,
  { workspaceId, user }: Member,
  page: PageRequest,
  { username, groupId }: ContactFilter = {},
): Promise<Page<Contact> | undefined> {
  let query = contacts(db, workspaceId)
  if (groupId === undefined) query = query.where('workspace_user.id', '!=', user.id)
  else query = query.where('workspace_user.id', 'in', memberIds(db, workspaceId, groupId))
  if (username !== undefined) query = query.where('username', '=', username)
  const cursor = cursorOf(page)
  const beside = cursor === undefined ? undefined : await findContact(db, workspaceId, cursor)
  if (cursor !== undefined && !beside) return undefined
  return readPage(query, page, { by: ['username'], place: beside && [beside.username] }, contactOf)
}

/** What of a profile changes; what is left out stays. */
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

/**
 * A statement: the user does something now; kept to the minute. Who was active a moment ago is only read, so that nobody waits.
 */
export const activity = ({ workspaceId, user }: Member, now: Date): RawBuilder<unknown> => sql`
  insert into contact_profile (workspace_id, user_id, phone_number, last_active_at)
  select known.workspace_id, known.id, '', ${now}
  from workspace_user as known
  left join contact_profile as profile on profile.workspace_id = known.workspace_id and profile.user_id = known.id
  where known.workspace_id = ${uuidOfWorkspace(workspaceId)} and known.id = ${user.id}
    and (last_active_at is null or last_active_at < ${new Date(now.getTime() - ACTIVE_EVERY_MS)})
  on conflict (workspace_id, user_id) do update set last_active_at = excluded.last_active_at`
