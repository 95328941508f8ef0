import { beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { seedWorkspace } from '../../../../test/support/seed.ts'
import { fromId } from '../../../platform/lib/id.ts'
import { eraseEvents } from './erase-events.ts'
import { emit, type NewEvent } from './event.ts'
import { findLogPosition, moveOutboxToLog, pruneEventLog, readEventLog } from './event-log-store.ts'

const FROM_START = { after: 0 }

describe.each(testDatabases())('event log on $name', async ({ open }) => {
  let workspaceId: string
  const database = await closeAfterAll(open())
  beforeEach(async () => {
    workspaceId = (await seedWorkspace(database.db)).workspaceId
  })

  const created = (id: string, fields: Partial<NewEvent> = {}): NewEvent => ({
    workspaceId,
    type: 'message.created',
    audience: ['ann', 'bob'],
    payload: { id, conversation_id: 'conv_1' },
    ...fields,
  })
  const write = (...events: NewEvent[]): Promise<void> => database.db.transaction().execute((tx) => emit(tx, ...events))
  /** Also moves the events of other tests, which share the database. */
  const relay = async (most = 500): Promise<void> => {
    while ((await moveOutboxToLog(database.db, most)).moved > 0);
  }
  const logged = (userId?: string) =>
    readEventLog(database.db, workspaceId, FROM_START, { most: 1_000, ...(userId !== undefined && { userId }) })
  const idsIn = (events: readonly { payload: string }[]): string[] => events.map(({ payload }) => JSON.parse(payload).id)

  test('moveOutboxToLog: keeps order and payload bytes, and numbers events without gaps', async () => {
    const payload = { id: 'b', text: 'ünïcödé "quoted"\nline', list: [1, { z: 1, a: null }] }
    await write(created('a'), created('b', { payload }))
    await write(created('c'))
    await relay(2)
    const events = await logged()
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    expect(idsIn(events)).toEqual(['a', 'b', 'c'])
    expect(events[1]?.payload).toBe(JSON.stringify(payload))
    expect(await findLogPosition(database.db, workspaceId)).toEqual({ last: 3, pruned: 0 })
  })

  test('moveOutboxToLog: numbers the events of each Workspace separately', async () => {
    const other = (await seedWorkspace(database.db)).workspaceId
    await write(created('a'), created('x', { workspaceId: other }), created('b'))
    await relay()
    expect((await logged()).map(({ sequence }) => sequence)).toEqual([1, 2])
    expect(idsIn(await readEventLog(database.db, other, FROM_START, { most: 10 }))).toEqual(['x'])
  })

  test('emit: logs no event when the transaction fails', async () => {
    const failing = database.db.transaction().execute(async (tx) => {
      await emit(tx, created('a'))
      throw new Error('intended')
    })
    await expect(failing).rejects.toThrow('intended')
    await relay()
    expect(await logged()).toEqual([])
  })

  test('moveOutboxToLog: logs every event once, in order and without gaps, when many writers and relays run at the same time', async () => {
    const writers = Array.from({ length: 8 }, (_, writer) => writer)
    let writing = true
    const relays = [1, 2, 3].map(async () => {
      while (writing) await moveOutboxToLog(database.db, 3)
    })
    await Promise.all(
      writers.map(async (writer) => {
        for (let i = 0; i < 10; i++) await write(created(`${writer} ${i}a`), created(`${writer} ${i}b`))
      }),
    )
    writing = false
    await Promise.all(relays)
    await relay()
    const events = await logged()
    expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 160 }, (_, i) => i + 1))
    for (const writer of writers) {
      const own = idsIn(events).filter((id) => id.startsWith(`${writer} `))
      expect(own).toEqual(Array.from({ length: 20 }, (_, i) => `${writer} ${i >> 1}${'ab'[i & 1]}`))
    }
  })

  test('readEventLog: returns the events whose audience contains the user when a user is given', async () => {
    await write(created('a', { audience: ['ann'] }), created('b'), created('c', { audience: [] }))
    await relay()
    expect(idsIn(await logged('ann'))).toEqual(['a', 'b'])
    expect(idsIn(await logged('bob'))).toEqual(['b'])
    expect(idsIn(await logged('eve'))).toEqual([])
    const range = { after: 1, upTo: 2 }
    expect(idsIn(await readEventLog(database.db, workspaceId, range, { most: 10, userId: 'ann' }))).toEqual(['b'])
  })

  test('pruneEventLog: advances the pruned position, and later events continue the numbering', async () => {
    await write(created('a'), created('b'))
    await relay()
    await database.db
      .updateTable('event_log')
      .set({ created_at: new Date('2001-01-01') } as object)
      .where('workspace_id', '=', fromId('ws', workspaceId) as string)
      .execute()
    while ((await pruneEventLog(database.db, new Date('2001-01-02'), 1)) > 0);
    expect(await logged()).toEqual([])
    await write(created('c'))
    await relay()
    expect((await logged()).map(({ sequence }) => sequence)).toEqual([3])
    expect(await findLogPosition(database.db, workspaceId)).toEqual({ last: 3, pruned: 2 })
  })

  describe('eraseEvents', () => {
    const erase = (selection: Parameters<typeof eraseEvents>[2]): Promise<void> =>
      database.db.transaction().execute((tx) => eraseEvents(tx, workspaceId, selection))

    test('eraseEvents: removes logged and new events of an object, except its deletion', async () => {
      await write(created('a'), created('b'))
      await relay()
      await write(created('a', { type: 'message.updated' }), created('a', { type: 'message.deleted' }))
      await erase({ objectIds: ['a'] })
      await relay()
      const events = await logged()
      expect(events.map(({ type, payload }) => [type, JSON.parse(payload).id])).toEqual([
        ['message.created', 'b'],
        ['message.deleted', 'a'],
      ])
    })

    test('eraseEvents: removes the events of a conversation and its messages, except its deletion', async () => {
      const conversation = { payload: { id: 'conv_1' } }
      await write(
        created('conv_1', { type: 'conversation.created', ...conversation }),
        created('a'),
        created('b', { payload: { id: 'b', conversation_id: 'conv_2' } }),
      )
      await relay()
      await write(created('conv_1', { type: 'conversation.deleted', ...conversation }))
      await erase({ conversationId: 'conv_1' })
      await relay()
      expect((await logged()).map(({ type, payload }) => [type, JSON.parse(payload).id])).toEqual([
        ['message.created', 'b'],
        ['conversation.deleted', 'conv_1'],
      ])
    })

    test("eraseEvents: keeps another Workspace's events", async () => {
      const other = (await seedWorkspace(database.db)).workspaceId
      await write(created('a', { workspaceId: other }))
      await relay()
      await erase({ objectIds: ['a'] })
      expect(await readEventLog(database.db, other, FROM_START, { most: 10 })).toHaveLength(1)
    })
  })
})
