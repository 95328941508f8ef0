import { beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { asGoverned } from '../../../../test/support/governed-text.ts'
import { seedConversation, seedMember, seedMessage } from '../../../../test/support/messaging-seed.ts'
import { seedWorkspace } from '../../../../test/support/seed.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { newId } from '../../../platform/lib/id.ts'
import { createApplication } from '../../identity/application-store.ts'
import type { Member } from '../people/member.ts'
import { createAssistant } from './assistant-store.ts'
import { enqueueTurn } from './enqueue-turn.ts'
import { loadTurnContext } from './turn-context.ts'
import { claimTurns, endTurn, holdTurn, postponeTurn, refuseTurn, renewClaim, type Turn } from './turn-store.ts'

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000)
const LEASE_MS = 10_000

describe.each(testDatabases())('turns on $name', async ({ open }) => {
  let workspaceId: string
  let ann: Member
  let helper: Member
  let conversationId: string
  const database = await closeAfterAll(open())
  beforeEach(async () => {
    // Turns of other tests would be claimed first, because they are older.
    await database.db.deleteFrom('assistant_turn').execute()
    ;({ workspaceId } = await seedWorkspace(database.db))
    ann = await addUser('ann')
    helper = await addAssistant('helper')
    conversationId = await addConversation(ann, helper)
  })

  const member = (id: string, fields: Partial<Member['user']> = {}): Member => ({
    workspaceId,
    user: { id, role: '', department: '', attributes: {}, verified: true, ...fields },
  })
  const addUser = (id: string) => seedMember(database.db, workspaceId, id)
  const addAssistant = async (id: string): Promise<Member> => {
    const application = await createApplication(database.db, workspaceId, { name: id, default_model: 'demo-mini' }, at(0))
    const create = { id, username: asGoverned(id), application_id: application?.id ?? '' }
    await database.db.transaction().execute((tx) => createAssistant(tx, workspaceId, create, at(0)))
    return member(id)
  }
  const addConversation = (from: Member, to: Member) => seedConversation(database.db, from, { contactId: to.user.id })

  /** Stores a message with the fields that turns need. Returns its id if a turn was enqueued. */
  const sendMessage = (seconds: number, { sender = ann, text = 'hello', isGroup = false, into = conversationId } = {}) =>
    database.db.transaction().execute(async (tx) => {
      const id = await seedMessage(tx, sender, into, { at: at(seconds), text })
      const isEnqueued = await enqueueTurn(tx, { id, conversationId: into, sender, text, isGroup, createdAt: at(seconds) })
      return isEnqueued ? id : undefined
    })
  const claim = (seconds: number) => claimTurns(database.db, at(seconds), LEASE_MS, 1).then(([turn]) => turn)
  const claimOrFail = async (seconds: number): Promise<Turn> => {
    const turn = await claim(seconds)
    if (!turn) throw new Error('no turn was claimed')
    return turn
  }
  const transact = <T>(work: Parameters<ReturnType<typeof database.db.transaction>['execute']>[0]) =>
    database.db.transaction().execute(work) as Promise<T>

  test('enqueueTurn: enqueues a turn when a user writes to an assistant, not when an assistant writes', async () => {
    expect(await sendMessage(1)).toMatch(/^msg_/)
    expect(await sendMessage(2, { sender: helper })).toBeUndefined()
    const withoutAssistant = await addConversation(ann, await addUser('ben'))
    expect(await sendMessage(3, { into: withoutAssistant })).toBeUndefined()
    const withTwoAssistants = await addConversation(await addAssistant('second'), helper)
    expect(await sendMessage(4, { into: withTwoAssistants, sender: member('second') })).toBeUndefined()
  })

  test('enqueueTurn: enqueues a turn in a group only when the assistant is mentioned', async () => {
    expect(await sendMessage(1, { isGroup: true })).toBeUndefined()
    expect(await sendMessage(2, { isGroup: true, text: 'mail helper@example.com' })).toBeUndefined()
    expect(await sendMessage(3, { isGroup: true, text: 'well, @Helper?' })).toMatch(/^msg_/)
  })

  test.each([3_600, 365 * 86_400])(
    'claimTurns: a claimed turn is claimed again when the clock was set back by %i seconds',
    async (secondsBack) => {
      const id = await sendMessage(1)
      await claimOrFail(10)
      expect(await claim(11)).toBeUndefined()
      expect((await claimOrFail(10 - secondsBack)).messageId).toBe(id)
      expect(await claim(11 - secondsBack)).toBeUndefined()
    },
  )

  test('claimTurns: turns of one conversation are claimed one after the other, those of two in parallel', async () => {
    const [first, second] = [await sendMessage(1), await sendMessage(2)]
    const otherTurn = await sendMessage(3, { into: await addConversation(ann, helper) })
    const firstTurn = await claimOrFail(10)
    expect(firstTurn).toMatchObject({ messageId: first, workspaceId, conversationId, assistantId: 'helper', attempts: 1 })
    expect((await claimOrFail(10)).messageId).toBe(otherTurn)
    expect(await claim(10)).toBeUndefined()
    expect(await transact((tx) => endTurn(tx, firstTurn))).toBe(true)
    expect((await claimOrFail(10)).messageId).toBe(second)
  })

  test('claimTurns: one worker gets the turn when several claim at the same time', async () => {
    await sendMessage(1)
    const turns = await Promise.all(Array.from({ length: 4 }, () => claim(10)))
    expect(turns.filter((turn) => turn !== undefined)).toHaveLength(1)
  })

  test('claimTurns: a turn is claimed again when its lease was not renewed, and the first claim has no effect any more', async () => {
    const id = await sendMessage(1)
    const first = await claimOrFail(10)
    expect(await renewClaim(database.db, first, at(30))).toBe(true)
    expect(await claim(21)).toBeUndefined()
    const second = await claimOrFail(31)
    expect(second).toMatchObject({ messageId: id, attempts: 2 })
    expect(await renewClaim(database.db, first, at(60))).toBe(false)
    for (const late of [endTurn, refuseTurn]) expect(await transact((tx) => late(tx, first))).toBe(false)
    expect(await transact((tx) => endTurn(tx, second))).toBe(true)
  })

  test('postponeTurn: the turn is due at the given time, and only failures count as attempts', async () => {
    await sendMessage(1)
    expect(await postponeTurn(database.db, await claimOrFail(10), at(20), { failed: false })).toBe(true)
    expect(await claim(19)).toBeUndefined()
    const again = await claimOrFail(20)
    expect(again.attempts).toBe(1)
    await postponeTurn(database.db, again, at(30), { failed: true })
    expect((await claimOrFail(30)).attempts).toBe(2)
  })

  test('holdTurn: the next turn is claimed meanwhile, and the held turn when its review item does not exist', async () => {
    const [heldId, nextId] = [await sendMessage(1), await sendMessage(2)]
    const item = newId('rev')
    const turn = await claimOrFail(10)
    expect(await transact((tx) => holdTurn(tx, turn, item))).toBe(true)
    const turns = [await claimOrFail(10), await claimOrFail(10)]
    expect(turns.map(({ messageId, reviewItemId }) => [messageId, reviewItemId])).toEqual([
      [heldId, item],
      [nextId, null],
    ])
  })

  test('refuseTurn: the turn is not claimed again', async () => {
    await sendMessage(1)
    const turn = await claimOrFail(10)
    await transact((tx) => refuseTurn(tx, turn))
    expect(await claim(1_000)).toBeUndefined()
  })

  test('endTurn: returns false when the message was deleted', async () => {
    const id = await sendMessage(1)
    const turn = await claimOrFail(10)
    await database.db
      .deleteFrom('message')
      .where('id', '=', uuidOf('msg', id ?? ''))
      .execute()
    expect(await transact((tx) => endTurn(tx, turn))).toBe(false)
    expect(await loadTurnContext(database.db, turn)).toBeUndefined()
  })

  test.each([{ groups: ['contractors'] }, { roles: ['', 'lead'] }, { departments: ['', 'sales'] }])(
    'loadTurnContext: the author has %j of the token, which stored users lack',
    async (lists) => {
      const claims = member('ann', lists)
      await sendMessage(2, { sender: claims })
      expect((await claimOrFail(3)).author).toEqual(claims.user)
    },
  )

  test('loadTurnContext: the author has the claims of the token when they differ from the stored user', async () => {
    await sendMessage(1)
    const fromDirectory = await claimOrFail(10)
    expect(fromDirectory.author).toBeNull()
    expect((await loadTurnContext(database.db, fromDirectory))?.caller.user).toEqual(ann.user)
    await transact((tx) => endTurn(tx, fromDirectory))
    const claims = member('ann', { role: 'lead', attributes: { clearance: 'public' } })
    await sendMessage(2, { sender: claims })
    const turn = await claimOrFail(10)
    expect(turn.author).toEqual(claims.user)
    const context = await loadTurnContext(database.db, turn)
    expect(context?.caller).toMatchObject({ user: claims.user, readers: [claims.user] })
    expect(context?.assistant.user).toMatchObject({ id: 'helper', role: 'assistant' })
  })

  test('loadTurnContext: returns undefined when the author has left the conversation', async () => {
    await sendMessage(1)
    const turn = await claimOrFail(10)
    await database.db
      .deleteFrom('conversation_member')
      .where('conversation_id', '=', uuidOf('conv', conversationId))
      .where('user_id', '=', 'ann')
      .execute()
    expect(await loadTurnContext(database.db, turn)).toBeUndefined()
  })
})
