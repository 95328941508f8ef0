import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { asGoverned } from '../../../test/support/governed-text.ts'
import { seedApplication, seedWorkspace } from '../../../test/support/seed.ts'
import type { Database } from '../../db/database.ts'
import { createUser } from '../../identity/user-store.ts'
import { newId } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import { createConversation } from '../conversations/conversation-store.ts'
import { uuidOf } from '../ids.ts'
import { createAssistant } from './assistant-store.ts'
import { enqueueTurn } from './enqueue-turn.ts'
import { loadTurnContext } from './turn-context.ts'
import { claimTurns, endTurn, holdTurn, postponeTurn, refuseTurn, renewClaim, type Turn } from './turn-store.ts'

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000)
const LEASE_MS = 10_000

describe.each(testDatabases())('turns of assistants on $name', ({ open }) => {
  let database: Database
  let workspaceId: string
  let ann: Member
  let helper: Member
  let conversationId: string
  let sequence: number
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    // Turns of other tests are nobody's business here, and the oldest of all is taken first.
    await database.db.deleteFrom('assistant_turn').execute()
    ;({ workspaceId } = await seedWorkspace(database.db))
    ann = await person('ann')
    helper = await assistant('helper')
    conversationId = await conversation(ann, helper)
    sequence = 0
  })

  const member = (id: string, fields: Partial<Member['user']> = {}): Member => ({
    workspaceId,
    user: { id, role: '', department: '', attributes: {}, verified: true, ...fields },
  })
  const person = async (id: string): Promise<Member> => {
    await createUser(database.db, workspaceId, { id, username: asGoverned(id) }, at(0))
    return member(id)
  }
  const assistant = async (id: string): Promise<Member> => {
    const { applicationId } = await seedApplication(database.db, workspaceId)
    const create = { id, username: asGoverned(id), application_id: applicationId }
    await database.db.transaction().execute((tx) => createAssistant(tx, workspaceId, create, at(0)))
    return member(id)
  }
  const conversation = async (from: Member, to: Member): Promise<string> =>
    database.db.transaction().execute(async (tx) => {
      const partner = { contactId: to.user.id }
      return (await createConversation(tx, from, partner, { distinct: false, now: at(0) })).id
    })

  /** Stores a message as far as turns need one; answers its id if an assistant is to answer it. */
  const say = (seconds: number, { sender = ann, text = 'hello', isGroup = false, into = conversationId } = {}) =>
    database.db.transaction().execute(async (tx) => {
      const id = newId('msg')
      await tx
        .insertInto('message')
        .values({
          id: uuidOf('msg', id),
          workspace_id: uuidOf('ws', workspaceId),
          conversation_id: uuidOf('conv', into),
          sequence: ++sequence,
          sender_id: sender.user.id,
          text,
          audit_id: null,
          flagged: false,
          reply_to: null,
          created_at: at(seconds),
          updated_at: null,
          read_at: null,
        })
        .execute()
      const asked = await enqueueTurn(tx, { id, conversationId: into, sender, text, isGroup, createdAt: at(seconds) })
      return asked ? id : undefined
    })
  const claim = (seconds: number) => claimTurns(database.db, at(seconds), LEASE_MS, 1).then(([turn]) => turn)
  const claimed = async (seconds: number): Promise<Turn> => {
    const turn = await claim(seconds)
    if (!turn) throw new Error('there is no turn')
    return turn
  }
  const transact = <T>(work: Parameters<ReturnType<typeof database.db.transaction>['execute']>[0]) =>
    database.db.transaction().execute(work) as Promise<T>

  test('come from people who write to an assistant, never from an assistant', async () => {
    expect(await say(1)).toMatch(/^msg_/)
    expect(await say(2, { sender: helper })).toBeUndefined()
    const between = await conversation(ann, await person('ben'))
    expect(await say(3, { into: between })).toBeUndefined()
    const both = await conversation(await assistant('second'), helper)
    expect(await say(4, { into: both, sender: member('second') })).toBeUndefined()
  })

  test('in a group need a mention', async () => {
    expect(await say(1, { isGroup: true })).toBeUndefined()
    expect(await say(2, { isGroup: true, text: 'mail helper@example.com' })).toBeUndefined()
    expect(await say(3, { isGroup: true, text: 'well, @Helper?' })).toMatch(/^msg_/)
  })

  test.each([3_600, 365 * 86_400])(
    'turns: taken up at once when the clock was set back by %i seconds while they were claimed',
    async (back) => {
      const id = await say(1)
      await claimed(10)
      expect(await claim(11)).toBeUndefined()
      expect((await claimed(10 - back)).messageId).toBe(id)
      expect(await claim(11 - back)).toBeUndefined()
    },
  )

  test('are taken one after the other in a conversation, and side by side in two', async () => {
    const [first, second] = [await say(1), await say(2)]
    const elsewhere = await say(3, { into: await conversation(ann, helper) })
    const one = await claimed(10)
    expect(one).toMatchObject({ messageId: first, workspaceId, conversationId, assistantId: 'helper', attempts: 1 })
    expect((await claimed(10)).messageId).toBe(elsewhere)
    expect(await claim(10)).toBeUndefined()
    expect(await transact((tx) => endTurn(tx, one))).toBe(true)
    expect((await claimed(10)).messageId).toBe(second)
  })

  test('are given to one of many who ask at once', async () => {
    await say(1)
    const turns = await Promise.all(Array.from({ length: 4 }, () => claim(10)))
    expect(turns.filter((turn) => turn !== undefined)).toHaveLength(1)
  })

  test('come back when nobody renews them, and are then no longer the first one’s', async () => {
    const id = await say(1)
    const first = await claimed(10)
    expect(await renewClaim(database.db, first, at(30))).toBe(true)
    expect(await claim(21)).toBeUndefined()
    const second = await claimed(31)
    expect(second).toMatchObject({ messageId: id, attempts: 2 })
    expect(await renewClaim(database.db, first, at(60))).toBe(false)
    for (const late of [endTurn, refuseTurn]) expect(await transact((tx) => late(tx, first))).toBe(false)
    expect(await transact((tx) => endTurn(tx, second))).toBe(true)
  })

  test('that are put off come later, and only failures count', async () => {
    await say(1)
    expect(await postponeTurn(database.db, await claimed(10), at(20), { failed: false })).toBe(true)
    expect(await claim(19)).toBeUndefined()
    const again = await claimed(20)
    expect(again.attempts).toBe(1)
    await postponeTurn(database.db, again, at(30), { failed: true })
    expect((await claimed(30)).attempts).toBe(2)
  })

  test('that are held let the next one go first; those whose item is gone come back', async () => {
    const [held, next] = [await say(1), await say(2)]
    const item = newId('rev')
    const turn = await claimed(10)
    expect(await transact((tx) => holdTurn(tx, turn, item))).toBe(true)
    const back = [await claimed(10), await claimed(10)]
    expect(back.map(({ messageId, reviewItemId }) => [messageId, reviewItemId])).toEqual([
      [held, item],
      [next, null],
    ])
  })

  test('that are refused do not come back', async () => {
    await say(1)
    const turn = await claimed(10)
    await transact((tx) => refuseTurn(tx, turn))
    expect(await claim(1_000)).toBeUndefined()
  })

  test('go with their message', async () => {
    const id = await say(1)
    const turn = await claimed(10)
    await database.db
      .deleteFrom('message')
      .where('id', '=', uuidOf('msg', id ?? ''))
      .execute()
    expect(await transact((tx) => endTurn(tx, turn))).toBe(false)
    expect(await loadTurnContext(database.db, turn)).toBeUndefined()
  })

  test('keep what the author’s own token says, where the directory says something else', async () => {
    await say(1)
    const plain = await claimed(10)
    expect(plain.author).toBeNull()
    expect((await loadTurnContext(database.db, plain))?.caller.user).toEqual(ann.user)
    await transact((tx) => endTurn(tx, plain))
    const claims = member('ann', { role: 'lead', attributes: { clearance: 'public' } })
    await say(2, { sender: claims })
    const turn = await claimed(10)
    expect(turn.author).toEqual(claims.user)
    const context = await loadTurnContext(database.db, turn)
    expect(context?.caller).toMatchObject({ user: claims.user, readers: [claims.user] })
    expect(context?.assistant.user).toMatchObject({ id: 'helper', role: 'assistant' })
  })

  test('end where their author has left', async () => {
    await say(1)
    const turn = await claimed(10)
    await database.db
      .deleteFrom('conversation_member')
      .where('conversation_id', '=', uuidOf('conv', conversationId))
      .where('user_id', '=', 'ann')
      .execute()
    expect(await loadTurnContext(database.db, turn)).toBeUndefined()
  })
})
