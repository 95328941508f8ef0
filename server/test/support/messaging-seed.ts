import { createUser } from '../../src/domains/identity/user-store.ts'
import { type ConversationPartner, createConversation } from '../../src/domains/messaging/conversations/conversation-store.ts'
import { createGroup } from '../../src/domains/messaging/groups/group-store.ts'
import { type Member, memberOf } from '../../src/domains/messaging/people/member.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { uuidOf } from '../../src/platform/db/values.ts'
import { newId } from '../../src/platform/lib/id.ts'
import { ANONYMOUS_USER } from '../../src/shared/principal.ts'
import { asGoverned } from './governed-text.ts'

export const SEEDED_AT = new Date('2026-03-02T09:00:00Z')

/** Creates a user with the username `<id>.name`. */
export async function seedMember(db: Db, workspaceId: string, id: string): Promise<Member> {
  await createUser(db, workspaceId, { id, username: asGoverned(`${id}.name`) }, SEEDED_AT)
  return memberOf(workspaceId, { ...ANONYMOUS_USER, id })
}

/** Creates a group that the first member owns. */
export const seedGroup = (db: Db, owner: Member, ...members: readonly Member[]) => {
  const fields = { name: asGoverned('Team'), description: '' as const, avatarUrl: null, ownerId: owner.user.id }
  const ids = [owner, ...members].map(({ user }) => user.id)
  return db.transaction().execute((tx) => createGroup(tx, owner.workspaceId, fields, ids, SEEDED_AT))
}

/** Creates a conversation; returns its id. */
export const seedConversation = async (
  db: Db,
  member: Member,
  partner: ConversationPartner,
  now: Date = SEEDED_AT,
): Promise<string> =>
  (await db.transaction().execute((tx) => createConversation(tx, member, partner, { distinct: false, now }))).id

let sequence = 0

/** Inserts a message without its event; returns its id. */
export async function seedMessage(
  db: Db,
  { workspaceId, user }: Member,
  conversationId: string,
  { at = SEEDED_AT, text = 'hello' }: { readonly at?: Date; readonly text?: string } = {},
): Promise<string> {
  const id = newId('msg')
  const place = { workspace_id: uuidOf('ws', workspaceId), conversation_id: uuidOf('conv', conversationId) }
  await db
    .insertInto('message')
    .values({ id: uuidOf('msg', id), ...place, sequence: ++sequence, sender_id: user.id, text, flagged: false, created_at: at })
    .execute()
  return id
}
