import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { dumpTables } from '../../../../test/support/dump-tables.ts'
import { type FreshDatabase, freshDatabases } from '../../../../test/support/fresh-database.ts'
import { seedConversation, seedGroup, seedMember, seedMessage } from '../../../../test/support/messaging-seed.ts'
import { seedApplication, seedWorkspace } from '../../../../test/support/seed.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import { findUser } from '../../identity/user-store.ts'
import type { ConversationPartner } from '../conversations/conversation-store.ts'
import { findGroup } from '../groups/group-store.ts'
import type { Member } from '../people/member.ts'
import { findRetention, setRetention } from './conversation-retention.ts'
import { deleteExpiredOfConversations, deleteExpiredOfWorkspace } from './delete-expired-messages.ts'
import { type Erasure, eraseUser, eraseUserContent, finishErasures } from './erase-user.ts'

const DAY = 24 * 3_600_000
const NOW = new Date('2026-03-20T09:00:00Z')
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * DAY)
const afterNow = (ms: number): Date => new Date(NOW.getTime() + ms)

describe.each(freshDatabases())('retention and erasure on $name', async ({ name, open }) => {
  let fresh: FreshDatabase
  let ann: Member
  let ben: Member
  let cleo: Member
  let foreignMember: Member

  const run = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.transaction().execute(work)
  const user = (workspaceId: string, id: string) => seedMember(db, workspaceId, id)
  const conversation = (member: Member, partner: ConversationPartner) => seedConversation(db, member, partner, daysAgo(50))
  const sendMessage = (conversationId: string, sender: Member, at: Date, text?: string) =>
    seedMessage(db, sender, conversationId, { at, ...(text !== undefined && { text }) })
  const sendMessages = (count: number, conversationId: string, sender: Member, at: Date): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, () => sendMessage(conversationId, sender, at)))
  const react = (message: string, { workspaceId, user }: Member, value = user.id, at = NOW) =>
    db
      .insertInto('message_reaction')
      .values({
        workspace_id: uuidOf('ws', workspaceId),
        message_id: uuidOf('msg', message),
        name: 'heart',
        user_id: user.id,
        value,
        created_at: at,
      })
      .execute()
  const messages = async (): Promise<string[]> =>
    (await db.selectFrom('message').select('id').execute()).map(({ id }) => toId('msg', id)).toSorted()
  const members = async (id: string): Promise<string[]> =>
    (await db.selectFrom('conversation_member').select('user_id').where('conversation_id', '=', uuidOf('conv', id)).execute())
      .map(({ user_id }) => user_id)
      .toSorted()
  const erasureOf = ({ workspaceId, user }: Member, erasedAt = NOW): Erasure => ({ workspaceId, userId: user.id, erasedAt })
  const erase = async (member: Member, erasedAt = NOW): Promise<void> => {
    const erasure = erasureOf(member, erasedAt)
    expect(await run((tx) => eraseUser(tx, erasure, 'http://localhost'))).toBe(true)
    await eraseUserContent(db, erasure, erasedAt)
  }

  fresh = await open()
  const db = fresh.database.db
  beforeEach(async () => {
    await fresh.empty()
    const { workspaceId } = await seedWorkspace(db)
    ;[ann, ben, cleo] = await Promise.all([
      user(workspaceId, 'ann-k3'),
      user(workspaceId, 'ben-k3'),
      user(workspaceId, 'cleo-k3'),
    ])
    foreignMember = await user((await seedWorkspace(db)).workspaceId, 'ann-k3')
  })
  afterAll(() => fresh.remove())

  describe('retention of messages', () => {
    test('deleteExpiredOfWorkspace: deletes all expired messages of the Workspace and no others', async () => {
      const chat = await conversation(ann, { contactId: 'ben-k3' })
      const foreign = await conversation(foreignMember, { contactId: 'x' })
      await sendMessages(410, chat, ann, daysAgo(11))
      const kept = [await sendMessage(chat, ben, daysAgo(9)), await sendMessage(foreign, foreignMember, daysAgo(11))]
      expect(await deleteExpiredOfWorkspace(db, ann.workspaceId, 10, NOW)).toBe(410)
      expect(await messages()).toEqual(kept.toSorted())
      expect(await deleteExpiredOfWorkspace(db, ann.workspaceId, 10, NOW)).toBe(0)
    })

    test('deleteExpiredOfConversations: deletes the expired messages of each conversation by its own retention', async () => {
      const [one, two, three] = [
        await conversation(ann, { contactId: 'ben-k3' }),
        await conversation(ann, { contactId: 'ben-k3' }),
        await conversation(foreignMember, { contactId: 'x' }),
      ]
      await run((tx) => setRetention(tx, ann.workspaceId, one, 5))
      await run((tx) => setRetention(tx, foreignMember.workspaceId, three, 20))
      await run((tx) => setRetention(tx, foreignMember.workspaceId, two, 1))
      await sendMessages(201, one, ann, daysAgo(6))
      const kept = [
        await sendMessage(one, ann, daysAgo(4)),
        await sendMessage(two, ann, daysAgo(40)),
        await sendMessage(three, foreignMember, daysAgo(19)),
      ]
      await sendMessage(three, foreignMember, daysAgo(21))
      expect(await deleteExpiredOfConversations(db, NOW)).toBe(202)
      expect(await messages()).toEqual(kept.toSorted())
    })

    test('findRetention: the shorter retention is effective when conversation and Workspace have one', async () => {
      const chat = await conversation(ann, { contactId: 'ben-k3' })
      const set = (settings: string) =>
        db.updateTable('workspace').set({ settings }).where('id', '=', uuidOf('ws', ann.workspaceId)).execute()
      const effective = async () => (await findRetention(db, ann.workspaceId, chat)).effectiveDays
      expect(await effective()).toBeNull()
      await set('{"message_retention_days": 9}')
      expect(await effective()).toBe(9)
      await run((tx) => setRetention(tx, ann.workspaceId, chat, 12))
      expect(await effective()).toBe(9)
      await run((tx) => setRetention(tx, ann.workspaceId, chat, 3))
      expect(await effective()).toBe(3)
    })
  })

  describe('erasure of users', () => {
    test('eraseUser: id and messages of the user are in no table except the event log', async () => {
      const direct = await conversation(ann, { contactId: 'ben-k3' })
      const team = await seedGroup(db, ann, ben, cleo)
      const inTeam = await conversation(ann, { groupId: team.id })
      await sendMessages(405, direct, ann, daysAgo(1))
      await sendMessage(inTeam, ann, daysAgo(1))
      const kept = [await sendMessage(direct, ben, daysAgo(1)), await sendMessage(inTeam, cleo, daysAgo(1))]
      for (const id of kept) await react(id, ann)
      await react(kept[0] ?? '', ben)
      const twin = await sendMessage(await conversation(foreignMember, { contactId: 'x' }), foreignMember, daysAgo(1))

      await erase(ann)

      expect(await messages()).toEqual([...kept, twin].toSorted())
      const reactions = await db.selectFrom('message_reaction').select('user_id').execute()
      expect(reactions.map(({ user_id }) => user_id)).toEqual(['ben-k3'])
      expect([await members(direct), await members(inTeam)]).toEqual([['ben-k3'], ['ben-k3', 'cleo-k3']])
      expect(await findGroup(db, ben, team.id)).toMatchObject({ ownerId: 'ben-k3', memberIds: ['ben-k3', 'cleo-k3'] })
      expect(await findUser(db, foreignMember.workspaceId, 'ann-k3')).toBeDefined()
      // The user with the same id in the other Workspace is not part of the check.
      for (const table of ['workspace_user', 'conversation_member'] as const) {
        await db.deleteFrom(table).where('workspace_id', '=', uuidOf('ws', foreignMember.workspaceId)).execute()
      }
      await db.deleteFrom('message').where('id', '=', uuidOf('msg', twin)).execute()
      await db.deleteFrom('conversation').where('workspace_id', '=', uuidOf('ws', foreignMember.workspaceId)).execute()
      expect(await finishErasures(db, afterNow(61_000))).toBe(1)
      const rowsWithId = (await dumpTables(fresh.database.pool)).filter(({ text }) => text.includes('ann-k3'))
      expect(rowsWithId.filter(({ table }) => !/^event_(log|outbox)$/.test(table)).map(({ table }) => table)).toEqual([])
    })

    test('eraseUserContent: deletes a conversation when only assistants or no members remain', async () => {
      const { applicationId } = await seedApplication(db, ann.workspaceId)
      const helper = await user(ann.workspaceId, 'helper')
      await db
        .insertInto('contact_profile')
        .values({
          workspace_id: uuidOf('ws', ann.workspaceId),
          user_id: helper.user.id,
          phone_number: '',
          application_id: uuidOf('app', applicationId),
        })
        .execute()
      const withHelper = await conversation(ann, { contactId: 'helper' })
      await sendMessage(withHelper, helper, daysAgo(1), 'you live in Rome')
      await conversation(ann, { contactId: 'ben-k3' })
      const countConversations = async () => (await db.selectFrom('conversation').select('id').execute()).length
      await erase(ann)
      expect(await countConversations()).toBe(1)
      await erase(ben, afterNow(1_000))
      expect([await countConversations(), await messages()]).toEqual([0, []])
    })

    test('finishErasures: erases what was stored during the erasure a minute later, and keeps what a new user with the same id wrote', async () => {
      const chat = await conversation(ann, { contactId: 'ben-k3' })
      await erase(ann)
      await sendMessage(chat, ann, afterNow(-1))
      const fresh = await sendMessage(chat, ann, afterNow(1))
      const about = await sendMessage(chat, ben, daysAgo(1))
      await react(about, ann, 'late', afterNow(-1))
      await react(about, ann, 'new', afterNow(1))
      expect(await finishErasures(db, afterNow(59_000))).toBe(0)
      expect(await finishErasures(db, afterNow(61_000))).toBe(1)
      expect(await messages()).toEqual([fresh, about].toSorted())
      const reactions = await db.selectFrom('message_reaction').select('value').execute()
      expect(reactions.map(({ value }) => value)).toEqual(['new'])
    })

    test('eraseUser: returns false and emits no event when the user does not exist in the Workspace', async () => {
      for (const erasure of [
        erasureOf({ ...ann, user: { ...ann.user, id: 'unknown' } }),
        erasureOf({ ...cleo, workspaceId: foreignMember.workspaceId }),
      ]) {
        expect(await run((tx) => eraseUser(tx, erasure, ''))).toBe(false)
      }
      expect(await db.selectFrom('event_outbox').selectAll().execute()).toEqual([])
      await erase(ann)
      expect(await run((tx) => eraseUser(tx, erasureOf(ann), ''))).toBe(false)
    })

    // The embedded database runs one transaction at a time.
    test.runIf(name === 'postgresql')(
      'eraseUserContent: keeps the reactions of others and no reaction of the user when they react at the same time',
      async () => {
        const direct = await conversation(ann, { contactId: 'ben-k3' })
        const about = await sendMessage(direct, ben, daysAgo(1))
        await sendMessages(50, direct, ann, daysAgo(1))
        await react(about, ann)
        const busy = Promise.all(Array.from({ length: 20 }, (_, index) => react(about, ben, `${index}`)))
        await Promise.all([erase(ann), busy])
        expect(await messages()).toEqual([about])
        const reactions = await db.selectFrom('message_reaction').select('user_id').execute()
        expect(reactions.map(({ user_id }) => user_id)).toEqual(Array(20).fill('ben-k3'))
      },
    )
  })
})
