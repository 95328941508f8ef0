import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { asGoverned } from '../../../test/support/governed-text.ts'
import { REVIEW_BOX, transact } from '../../../test/support/reviews.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import type { Database } from '../../db/database.ts'
import { createUser } from '../../identity/user-store.ts'
import { Cache } from '../../lib/cache.ts'
import { newId } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import { listConversations } from '../conversations/conversation-list.ts'
import { createConversation, findCountedConversation } from '../conversations/conversation-store.ts'
import { moveReadMarker } from '../conversations/read-marker.ts'
import { type GovernedText, governWithoutHold } from '../governance/governed-text.ts'
import { insertMessage } from './insert-message.ts'
import { listAllMessages, listMessages } from './message-list.ts'
import { searchMessages } from './message-search.ts'
import { deleteMessages, findMessage, lockMessage } from './message-store.ts'
import { addReaction, findReactions } from './reaction-store.ts'

const nobodyAsks = () => Promise.reject(new Error('nobody governs here'))
const NO_POLICIES = {
  policies: { current: async () => undefined },
  detectors: [],
  detectorBudgetMs: 1_000,
  reportFault: () => {},
  workspaceKeys: new Cache<WorkspaceKeys>(nobodyAsks),
  reviewBox: REVIEW_BOX,
  audit: { append: nobodyAsks },
}

/** Of a Workspace that has no policies. */
const ungoverned = (text: string, workspaceId: string): Promise<GovernedText> =>
  governWithoutHold(
    {
      workspaceId,
      sender: { id: 'x', role: '', department: '', attributes: {}, verified: true },
      place: { id: newId('conv'), groupId: null },
      messageId: newId('msg'),
      change: 'create',
      texts: [text],
      now: new Date(),
    },
    NO_POLICIES,
  )

describe.each(testDatabases())('messages on $name', ({ open }) => {
  let database: Database
  let ann: Member
  let ben: Member
  let stranger: Member
  const now = new Date('2026-03-02T09:00:00Z')
  const later = (ms: number): Date => new Date(now.getTime() + ms)

  const memberOf = async (workspaceId: string, id: string): Promise<Member> => {
    await createUser(database.db, workspaceId, { id, username: asGoverned(id) }, now)
    return { workspaceId, user: { id, role: '', department: '', attributes: {}, verified: true } }
  }
  const talk = async (at = now): Promise<string> => {
    const made = await transact(database.db, (tx) =>
      createConversation(tx, ann, { contactId: ben.user.id }, { distinct: false, now: at }),
    )
    return made.id
  }
  const say = async (sender: Member, conversationId: string, text = 'Good morning', at = now) => {
    const governed = await ungoverned(text, sender.workspaceId)
    const fields = { id: newId('msg'), sender, conversationId, text: governed, attachments: [], now: at }
    return (await transact(database.db, (tx) => insertMessage(tx, fields))).message
  }

  beforeAll(async () => {
    database = await open()
    const { workspaceId } = await seedWorkspace(database.db)
    ann = await memberOf(workspaceId, 'ann')
    ben = await memberOf(workspaceId, 'ben')
    stranger = await memberOf((await seedWorkspace(database.db)).workspaceId, 'ann')
  })
  afterAll(() => database.close())

  test('many at once get the places of one sequence, and times that go with them', async () => {
    const id = await talk()
    const sent = await Promise.all(Array.from({ length: 30 }, (_, i) => say(i % 2 ? ann : ben, id, `${i}`, later(i % 7))))
    const ordered = sent.toSorted((a, b) => a.sequence - b.sequence)
    expect(ordered.map(({ sequence }) => sequence)).toEqual(sent.map((_, i) => i + 1))
    for (const [i, message] of ordered.entries()) {
      expect(message.createdAt.getTime()).toBeGreaterThanOrEqual(ordered[i - 1]?.createdAt.getTime() ?? 0)
    }
    const listed = await listMessages(database.db, ben, id, { limit: 100 })
    expect(listed?.data).toEqual(ordered.toReversed())
  })

  test('a namesake in another Workspace sees none of it', async () => {
    const id = await talk()
    const message = await say(ann, id, 'canary')
    expect(await findCountedConversation(database.db, stranger, id)).toBeUndefined()
    expect(await findMessage(database.db, stranger, message.id)).toBeUndefined()
    expect((await listAllMessages(database.db, stranger, { limit: 10 }))?.data).toEqual([])
    expect((await listConversations(database.db, stranger, { limit: 10 }, {}))?.data).toEqual([])
    expect((await searchMessages(database.db, stranger, 'canary', { limit: 10 }))?.data).toEqual([])
    await expect(say(stranger, id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('unread messages are counted, and 1,000 at most', async () => {
    const id = await talk()
    const first = await say(ann, id)
    await database.pool.query(
      `insert into message (id, workspace_id, conversation_id, sequence, sender_id, text, flagged, created_at)
       select gen_random_uuid(), workspace_id, conversation_id, sequence + n, sender_id, 'x', false, created_at
       from message, generate_series(1, 1500) n where sequence = 1 and text = 'Good morning' and conversation_id in
         (select id from conversation order by id desc limit 1)`,
    )
    expect((await findCountedConversation(database.db, ben, id))?.unreadCount).toBe(1_000)
    expect((await findCountedConversation(database.db, ann, id))?.unreadCount).toBe(0)
    await transact(database.db, (tx) => moveReadMarker(tx, ben, { workspaceId: ben.workspaceId, id }, first.id, later(1)))
    expect((await findMessage(database.db, ann, first.id))?.readAt).toEqual(later(1))
  })

  test('markers and reactions of many at once are all kept [MSG-REACT-5]', async () => {
    const id = await talk()
    const messages = await Promise.all(Array.from({ length: 10 }, () => say(ann, id)))
    const [one] = messages
    if (!one) throw new Error('nothing was said')
    await Promise.all([
      ...messages.map((message, i) =>
        transact(database.db, (tx) => moveReadMarker(tx, ben, { workspaceId: ben.workspaceId, id }, message.id, later(i))),
      ),
      ...Array.from({ length: 10 }, (_, i) =>
        transact(database.db, async (tx) => {
          const who = i % 2 ? ann : ben
          const message = await lockMessage(tx, who, one.id)
          if (message) await addReaction(tx, who, message, asGoverned(`name${i >> 1}`), now)
        }),
      ),
    ])
    expect((await findCountedConversation(database.db, ben, id))?.unreadCount).toBe(0)
    for (const message of messages) expect((await findMessage(database.db, ann, message.id))?.readAt).not.toBeNull()
    const given = (await findReactions(database.db, [one.id])).get(one.id) ?? []
    expect(given.flatMap((map) => Object.values(map).flat())).toHaveLength(10)
  })

  test('what is deleted is gone, and told as many times as there were messages', async () => {
    const id = await talk()
    const [first, second] = [await say(ann, id, 'one'), await say(ben, id, 'two')]
    const here = { workspaceId: ann.workspaceId, conversationId: id }
    const remove = (ids: string[]) => transact(database.db, (tx) => deleteMessages(tx, here, ids, now))
    expect(await remove([first.id, newId('msg')])).toEqual([first.id])
    expect(await remove([first.id])).toEqual([])
    expect(await findMessage(database.db, ann, first.id)).toBeUndefined()
    expect(await findMessage(database.db, ann, second.id)).toEqual(second)
    expect((await say(ann, id)).sequence).toBe(3)
    // A relay of another test may have moved the event to the log.
    const { rows } = await database.pool.query(
      `select payload from (select type, payload from event_outbox union all select type, payload from event_log) events
        where type = 'message.deleted' and payload ->> 'conversation_id' = $1`,
      [id],
    )
    expect(rows).toEqual([{ payload: { id: first.id, conversation_id: id } }])
  })
})
