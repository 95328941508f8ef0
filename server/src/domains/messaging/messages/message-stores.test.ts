import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { asGoverned } from '../../../../test/support/governed-text.ts'
import { SEEDED_AT, seedConversation, seedMember } from '../../../../test/support/messaging-seed.ts'
import { REVIEW_BOX, transact } from '../../../../test/support/reviews.ts'
import { seedWorkspace } from '../../../../test/support/seed.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { Cache } from '../../../platform/lib/cache.ts'
import { newId } from '../../../platform/lib/id.ts'
import { accepted } from '../../../shared/request-errors.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import { NO_GROUPS } from '../../identity/group-directory.ts'
import { findCountedConversation, listConversations } from '../conversations/conversation-store.ts'
import { moveReadMarker } from '../conversations/read-marker.ts'
import { type GovernedText, governWithoutHold } from '../governance/governed-text.ts'
import type { Member } from '../people/member.ts'
import { insertMessage } from './insert-message.ts'
import { listAllMessages, listMessages } from './message-list.ts'
import { searchMessages } from './message-search.ts'
import { deleteMessages, findMessage, lockMessage } from './message-store.ts'
import { addReaction, findReactions } from './reaction-store.ts'

const notUsed = () => Promise.reject(new Error('This test has no policies'))
const NO_POLICIES = {
  groups: NO_GROUPS,
  policies: { current: async () => undefined },
  detectors: [],
  detectorBudgetMs: 60_000,
  reportFault: () => {},
  workspaceKeys: new Cache<WorkspaceKeys>(notUsed),
  reviewBox: REVIEW_BOX,
  audit: { append: notUsed, chain: notUsed, leavesPending: false },
}

/** The text as governed in a Workspace without policies. */
const ungoverned = async (text: string, workspaceId: string): Promise<GovernedText> =>
  accepted(
    await governWithoutHold(
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
    ),
  )

describe.each(testDatabases())('messages on $name', async ({ open }) => {
  const now = SEEDED_AT
  const later = (ms: number): Date => new Date(now.getTime() + ms)

  const startConversation = (at = now) => seedConversation(database.db, ann, { contactId: ben.user.id }, at)
  const send = async (sender: Member, conversationId: string, text = 'Good morning', at = now) => {
    const governed = await ungoverned(text, sender.workspaceId)
    const fields = { id: newId('msg'), sender, conversationId, text: governed, attachments: [], now: at }
    return accepted(await transact(database.db, (tx) => insertMessage(tx, fields))).message
  }

  const database = await closeAfterAll(open())
  const { workspaceId } = await seedWorkspace(database.db)
  const ann = await seedMember(database.db, workspaceId, 'ann')
  const ben = await seedMember(database.db, workspaceId, 'ben')
  const otherAnn = await seedMember(database.db, (await seedWorkspace(database.db)).workspaceId, 'ann')

  test('messages: concurrent messages get consecutive numbers, and times in the same order', async () => {
    const id = await startConversation()
    const sent = await Promise.all(Array.from({ length: 30 }, (_, i) => send(i % 2 ? ann : ben, id, `${i}`, later(i % 7))))
    const ordered = sent.toSorted((a, b) => a.sequence - b.sequence)
    expect(ordered.map(({ sequence }) => sequence)).toEqual(sent.map((_, i) => i + 1))
    for (const [i, message] of ordered.entries()) {
      expect(message.createdAt.getTime()).toBeGreaterThanOrEqual(ordered[i - 1]?.createdAt.getTime() ?? 0)
    }
    const listed = await listMessages(database.db, ben, id, { limit: 100 })
    expect(listed?.data).toEqual(ordered.toReversed())
  })

  test('messages: a user with the same id in another Workspace sees none of them', async () => {
    const id = await startConversation()
    const message = await send(ann, id, 'canary')
    expect(await findCountedConversation(database.db, otherAnn, id)).toBeUndefined()
    expect(await findMessage(database.db, otherAnn, message.id)).toBeUndefined()
    expect((await listAllMessages(database.db, otherAnn, { limit: 10 }))?.data).toEqual([])
    expect((await listConversations(database.db, otherAnn, { limit: 10 }, {}))?.data).toEqual([])
    expect((await searchMessages(database.db, otherAnn, 'canary', { limit: 10 }))?.data).toEqual([])
    await expect(send(otherAnn, id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('conversations: unread messages are counted up to 1,000', async () => {
    const id = await startConversation()
    const first = await send(ann, id)
    await database.pool.query(
      `insert into message (id, workspace_id, conversation_id, sequence, sender_id, text, flagged, created_at)
       select gen_random_uuid(), workspace_id, conversation_id, sequence + n, sender_id, 'x', false, created_at
       from message, generate_series(1, 1500) n where sequence = 1 and conversation_id = $1`,
      [uuidOf('conv', id)],
    )
    expect((await findCountedConversation(database.db, ben, id))?.unreadCount).toBe(1_000)
    expect((await findCountedConversation(database.db, ann, id))?.unreadCount).toBe(0)
    await transact(database.db, (tx) => moveReadMarker(tx, ben, { workspaceId: ben.workspaceId, id }, first.id, later(1)))
    expect((await findMessage(database.db, ann, first.id))?.readAt).toEqual(later(1))
  })

  test('messages: concurrent read markers and reactions are all stored [MSG-REACT-5]', async () => {
    const id = await startConversation()
    const messages = await Promise.all(Array.from({ length: 10 }, () => send(ann, id)))
    const [first] = messages
    if (!first) throw new Error('no message was sent')
    await Promise.all([
      ...messages.map((message, i) =>
        transact(database.db, (tx) => moveReadMarker(tx, ben, { workspaceId: ben.workspaceId, id }, message.id, later(i))),
      ),
      ...Array.from({ length: 10 }, (_, i) =>
        transact(database.db, async (tx) => {
          const member = i % 2 ? ann : ben
          const message = await lockMessage(tx, member, first.id)
          if (message) await addReaction(tx, member, message, asGoverned(`name${i >> 1}`), now)
        }),
      ),
    ])
    expect((await findCountedConversation(database.db, ben, id))?.unreadCount).toBe(0)
    for (const message of messages) expect((await findMessage(database.db, ann, message.id))?.readAt).not.toBeNull()
    const reactions = (await findReactions(database.db, [first.id])).get(first.id) ?? []
    expect(reactions.flatMap((map) => Object.values(map).flat())).toHaveLength(10)
  })

  test('messages: a deleted message cannot be found and has exactly one event', async () => {
    const id = await startConversation()
    const [first, second] = [await send(ann, id, 'one'), await send(ben, id, 'two')]
    const conversation = { workspaceId: ann.workspaceId, conversationId: id }
    const remove = (ids: string[]) => transact(database.db, (tx) => deleteMessages(tx, conversation, ids, now))
    expect(await remove([first.id, newId('msg')])).toEqual([first.id])
    expect(await remove([first.id])).toEqual([])
    expect(await findMessage(database.db, ann, first.id)).toBeUndefined()
    expect(await findMessage(database.db, ann, second.id)).toEqual(second)
    expect((await send(ann, id)).sequence).toBe(3)
    // A relay of another test may have moved the event to the log.
    const { rows } = await database.pool.query(
      `select payload from (select type, payload from event_outbox union all select type, payload from event_log) events
        where type = 'message.deleted' and payload ->> 'conversation_id' = $1`,
      [id],
    )
    expect(rows).toEqual([{ payload: { id: first.id, conversation_id: id } }])
  })
})
