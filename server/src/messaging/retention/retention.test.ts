import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dumpTables } from '../../../test/support/dump-tables.ts'
import { type FreshDatabase, freshDatabases } from '../../../test/support/fresh-database.ts'
import { asGoverned } from '../../../test/support/governed-text.ts'
import { seedApplication, seedWorkspace } from '../../../test/support/seed.ts'
import type { Db, Tx } from '../../db/database.ts'
import { ANONYMOUS_USER } from '../../domain/principal.ts'
import { createUser, findUser } from '../../identity/user-store.ts'
import { newUuid } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import { type ConversationPartner, createConversation } from '../conversations/conversation-store.ts'
import { createGroup, findGroup } from '../groups/group-store.ts'
import { uuidOf } from '../ids.ts'
import { retentionOf, setRetention } from './conversation-retention.ts'
import { deleteExpiredOfConversations, deleteExpiredOfWorkspace } from './delete-expired-messages.ts'
import { type Erasure, eraseUser } from './erase-user.ts'
import { eraseUserContent, finishErasures } from './erase-user-content.ts'

const DAY = 24 * 3_600_000
const NOW = new Date('2026-03-20T09:00:00Z')
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * DAY)
const later = (ms: number): Date => new Date(NOW.getTime() + ms)

describe.each(freshDatabases())('on $name', ({ name, open }) => {
  let fresh: FreshDatabase
  let db: Db
  let ann: Member
  let ben: Member
  let cleo: Member
  let elsewhere: Member

  const run = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.transaction().execute(work)
  const user = async (workspaceId: string, id: string): Promise<Member> => {
    await createUser(db, workspaceId, { id, username: asGoverned(`${id} name`) }, NOW)
    return { workspaceId, user: { ...ANONYMOUS_USER, id, verified: true } }
  }
  const conversation = async (member: Member, partner: ConversationPartner): Promise<string> =>
    (await run((tx) => createConversation(tx, member, partner, { distinct: false, now: daysAgo(50) }))).id
  const groupOf = (owner: Member, ...members: Member[]) => {
    const fields = { name: asGoverned('Team'), description: '' as const, avatarUrl: null, ownerId: owner.user.id }
    const ids = [owner, ...members].map((each) => each.user.id)
    return run((tx) => createGroup(tx, owner.workspaceId, fields, ids, NOW))
  }
  let sequence = 0
  const say = async (conversationId: string, sender: Member, at: Date, text = 'hello'): Promise<string> => {
    const id = newUuid()
    const place = { workspace_id: uuidOf('ws', sender.workspaceId), conversation_id: uuidOf('conv', conversationId) }
    await db
      .insertInto('message')
      .values({ id, ...place, sequence: ++sequence, sender_id: sender.user.id, text, flagged: false, created_at: at })
      .execute()
    return id
  }
  const sayings = (count: number, conversationId: string, sender: Member, at: Date): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, () => say(conversationId, sender, at)))
  const react = (message: string, { workspaceId, user }: Member, value = user.id, at = NOW) =>
    db
      .insertInto('message_reaction')
      .values({
        workspace_id: uuidOf('ws', workspaceId),
        message_id: message,
        name: 'heart',
        user_id: user.id,
        value,
        created_at: at,
      })
      .execute()
  const messages = async (): Promise<string[]> =>
    (await db.selectFrom('message').select('id').execute()).map(({ id }) => id).toSorted()
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

  beforeAll(async () => {
    fresh = await open()
    db = fresh.database.db
  })
  beforeEach(async () => {
    await fresh.empty()
    const { workspaceId } = await seedWorkspace(db)
    ;[ann, ben, cleo] = await Promise.all([
      user(workspaceId, 'ann-k3'),
      user(workspaceId, 'ben-k3'),
      user(workspaceId, 'cleo-k3'),
    ])
    elsewhere = await user((await seedWorkspace(db)).workspaceId, 'ann-k3')
  })
  afterAll(() => fresh.remove())

  describe('retention', () => {
    test('of a Workspace ends for its own messages, in any number, whatever it says', async () => {
      const chat = await conversation(ann, { contactId: 'ben-k3' })
      const foreign = await conversation(elsewhere, { contactId: 'x' })
      await sayings(410, chat, ann, daysAgo(11))
      const kept = [await say(chat, ben, daysAgo(9)), await say(foreign, elsewhere, daysAgo(11))]
      expect(await deleteExpiredOfWorkspace(db, ann.workspaceId, 10, NOW)).toBe(410)
      expect(await messages()).toEqual(kept.toSorted())
      expect(await deleteExpiredOfWorkspace(db, ann.workspaceId, 10, NOW)).toBe(0)
    })

    test('of conversations ends for each as it says', async () => {
      const [one, two, three] = [
        await conversation(ann, { contactId: 'ben-k3' }),
        await conversation(ann, { contactId: 'ben-k3' }),
        await conversation(elsewhere, { contactId: 'x' }),
      ]
      await run((tx) => setRetention(tx, ann.workspaceId, one, 5))
      await run((tx) => setRetention(tx, elsewhere.workspaceId, three, 20))
      await run((tx) => setRetention(tx, elsewhere.workspaceId, two, 1))
      await sayings(201, one, ann, daysAgo(6))
      const kept = [await say(one, ann, daysAgo(4)), await say(two, ann, daysAgo(40)), await say(three, elsewhere, daysAgo(19))]
      await say(three, elsewhere, daysAgo(21))
      expect(await deleteExpiredOfConversations(db, NOW)).toBe(202)
      expect(await messages()).toEqual(kept.toSorted())
    })

    test('that counts is the shorter one', async () => {
      const chat = await conversation(ann, { contactId: 'ben-k3' })
      const set = (settings: string) =>
        db.updateTable('workspace').set({ settings }).where('id', '=', uuidOf('ws', ann.workspaceId)).execute()
      const effective = async () => (await retentionOf(db, ann.workspaceId, chat)).effectiveDays
      expect(await effective()).toBeNull()
      await set('{"message_retention_days": 9}')
      expect(await effective()).toBe(9)
      await run((tx) => setRetention(tx, ann.workspaceId, chat, 12))
      expect(await effective()).toBe(9)
      await run((tx) => setRetention(tx, ann.workspaceId, chat, 3))
      expect(await effective()).toBe(3)
    })
  })

  describe('who is erased', () => {
    test('is gone from every table but what has been told, with what they wrote, however much', async () => {
      const direct = await conversation(ann, { contactId: 'ben-k3' })
      const team = await groupOf(ann, ben, cleo)
      const inTeam = await conversation(ann, { groupId: team.id })
      await sayings(405, direct, ann, daysAgo(1))
      await say(inTeam, ann, daysAgo(1))
      const kept = [await say(direct, ben, daysAgo(1)), await say(inTeam, cleo, daysAgo(1))]
      for (const id of kept) await react(id, ann)
      await react(kept[0] ?? '', ben)
      const twin = await say(await conversation(elsewhere, { contactId: 'x' }), elsewhere, daysAgo(1))

      await erase(ann)

      expect(await messages()).toEqual([...kept, twin].toSorted())
      const reactions = await db.selectFrom('message_reaction').select('user_id').execute()
      expect(reactions.map(({ user_id }) => user_id)).toEqual(['ben-k3'])
      expect([await members(direct), await members(inTeam)]).toEqual([['ben-k3'], ['ben-k3', 'cleo-k3']])
      expect(await findGroup(db, ben, team.id)).toMatchObject({ ownerId: 'ben-k3', memberIds: ['ben-k3', 'cleo-k3'] })
      expect(await findUser(db, elsewhere.workspaceId, 'ann-k3')).toBeDefined()
      // The one of the same id elsewhere set aside.
      for (const table of ['workspace_user', 'conversation_member'] as const) {
        await db.deleteFrom(table).where('workspace_id', '=', uuidOf('ws', elsewhere.workspaceId)).execute()
      }
      await db.deleteFrom('message').where('id', '=', twin).execute()
      await db.deleteFrom('conversation').where('workspace_id', '=', uuidOf('ws', elsewhere.workspaceId)).execute()
      expect(await finishErasures(db, later(61_000))).toBe(1)
      const named = (await dumpTables(fresh.database.pool)).filter(({ text }) => text.includes('ann-k3'))
      expect(named.filter(({ table }) => !/^event_(log|outbox)$/.test(table)).map(({ table }) => table)).toEqual([])
    })

    test('leaves no conversation that only assistants are in, and none that nobody is in', async () => {
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
      await say(withHelper, helper, daysAgo(1), 'you live in Rome')
      await conversation(ann, { contactId: 'ben-k3' })
      const left = async () => (await db.selectFrom('conversation').select('id').execute()).length
      await erase(ann)
      expect(await left()).toBe(1)
      await erase(ben, later(1_000))
      expect([await left(), await messages()]).toEqual([0, []])
    })

    test('is erased again a minute later, for what was on its way; what is new under the same id stays', async () => {
      const chat = await conversation(ann, { contactId: 'ben-k3' })
      await erase(ann)
      await say(chat, ann, later(-1))
      const fresh = await say(chat, ann, later(1))
      const about = await say(chat, ben, daysAgo(1))
      await react(about, ann, 'late', later(-1))
      await react(about, ann, 'new', later(1))
      expect(await finishErasures(db, later(59_000))).toBe(0)
      expect(await finishErasures(db, later(61_000))).toBe(1)
      expect(await messages()).toEqual([fresh, about].toSorted())
      const left = await db.selectFrom('message_reaction').select('value').execute()
      expect(left.map(({ value }) => value)).toEqual(['new'])
    })

    test('is there, and in that Workspace', async () => {
      for (const erasure of [
        erasureOf({ ...ann, user: { ...ann.user, id: 'nobody' } }),
        erasureOf({ ...cleo, workspaceId: elsewhere.workspaceId }),
      ]) {
        expect(await run((tx) => eraseUser(tx, erasure, ''))).toBe(false)
      }
      expect(await db.selectFrom('event_outbox').selectAll().execute()).toEqual([])
      await erase(ann)
      expect(await run((tx) => eraseUser(tx, erasureOf(ann), ''))).toBe(false)
    })

    // The embedded database runs one transaction at a time.
    test.runIf(name === 'postgresql')(
      'while others react beside: nothing of theirs is lost, nothing of the user’s left',
      async () => {
        const direct = await conversation(ann, { contactId: 'ben-k3' })
        const about = await say(direct, ben, daysAgo(1))
        await sayings(50, direct, ann, daysAgo(1))
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
