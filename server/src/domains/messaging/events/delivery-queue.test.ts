import { beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { seedWorkspace, TEST_SECRET_KEY } from '../../../../test/support/seed.ts'
import { fromId } from '../../../platform/lib/id.ts'
import { secretBox } from '../../../platform/lib/secret-box.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  enqueueDeliveries,
  LEASE_MS,
  listDueWebhooks,
  recordAttempt,
} from './delivery-queue.ts'
import { listDeliveries, removeEndedDeliveries, replayDelivery } from './delivery-store.ts'
import { eraseEvents } from './erase-events.ts'
import { emit } from './event.ts'
import { moveOutboxToLog } from './event-log-store.ts'
import { createWebhook, deleteWebhook } from './webhook-store.ts'

const box = secretBox(TEST_SECRET_KEY, 'webhook')
const inFuture = (ms: number): Date => new Date(Date.now() + ms)

describe.each(testDatabases())('delivery queue on $name', async ({ open }) => {
  let workspaceId: string
  let webhookId: string
  const database = await closeAfterAll(open())
  beforeEach(async () => {
    workspaceId = (await seedWorkspace(database.db)).workspaceId
    const fields = { url: 'https://receiver.example.com/', format: 'standard', types: null, enabled: true } as const
    const webhook = await database.db
      .transaction()
      .execute((tx) => createWebhook(tx, workspaceId, fields, { box, now: new Date() }))
    webhookId = webhook.id
    return () => database.db.transaction().execute((tx) => deleteWebhook(tx, workspaceId, webhookId))
  })

  const logEvents = async (...ids: string[]): Promise<void> => {
    const event = { workspaceId, type: 'message.created', audience: [] } as const
    await database.db.transaction().execute((tx) => emit(tx, ...ids.map((id) => ({ ...event, payload: { id } }))))
    while ((await moveOutboxToLog(database.db, 500)).moved > 0);
  }
  const enqueue = async (most = 200): Promise<void> => {
    while (await enqueueDeliveries(database.db, new Date(), most));
  }
  const claim = (most: number, now = new Date()): Promise<ClaimedDelivery[]> =>
    claimDeliveries(database.db, box, { webhook: fromId('whk', webhookId) as string, now, most })
  const idsIn = (claimed: readonly ClaimedDelivery[]): string[] => claimed.map(({ payload }) => JSON.parse(payload).id).sort()
  /** Records a failed attempt; without `nextAttemptAt` it was the last one. */
  const fail = (delivery: ClaimedDelivery | undefined, nextAttemptAt?: Date): Promise<void> =>
    recordAttempt(database.db, delivery as ClaimedDelivery, {
      ...{ status: 500, failure: 'x', now: new Date() },
      ...(nextAttemptAt && { nextAttemptAt }),
    })
  const list = async () => (await listDeliveries(database.db, { workspaceId, webhookId }, { limit: 100 }))?.data ?? []

  test('enqueueDeliveries: every event becomes one delivery, in order, when several nodes enqueue small batches at the same time', async () => {
    const ids = Array.from({ length: 25 }, (_, i) => `e${String(i).padStart(2, '0')}`)
    await logEvents(...ids)
    await Promise.all([enqueue(4), enqueue(3), enqueue(7)])
    const claimed = await claim(100)
    expect(idsIn(claimed)).toEqual(ids)
    expect((await list()).map(({ id }) => id)).toEqual(
      claimed
        .map(({ id }) => id)
        .toSorted()
        .reverse(),
    )
  })

  test('claimDeliveries: a claimed delivery is not claimed again when its lease has not ended', async () => {
    await logEvents('a', 'b', 'c')
    await enqueue()
    const [first, second] = await Promise.all([claim(2), claim(2)])
    expect(idsIn([...first, ...second])).toEqual(['a', 'b', 'c'])
    expect(await claim(10)).toEqual([])
    expect(idsIn(await claim(10, inFuture(LEASE_MS + 1_000)))).toEqual(['a', 'b', 'c'])
  })

  test.each([
    ['an hour', 3_600_000],
    ['a year', 365 * 86_400_000],
  ])('claimDeliveries: a delivery is claimed at once, and only once, when the clock was set back by %s', async (_, ms) => {
    await logEvents('a')
    await enqueue()
    const due = await listDueWebhooks(database.db, inFuture(-ms))
    expect(due).toContain(fromId('whk', webhookId))
    expect(idsIn(await claim(10, inFuture(-ms)))).toEqual(['a'])
    expect(await claim(10, inFuture(-ms))).toEqual([])
    expect(await claim(10, inFuture(-ms + LEASE_MS / 2))).toEqual([])
  })

  test('claimDeliveries: an earlier claim or delay is ignored when the clock was set back by a year', async () => {
    await logEvents('a')
    await enqueue()
    const [first] = await claim(1)
    await fail(first, inFuture(60_000))
    expect(idsIn(await claim(10, inFuture(-365 * 86_400_000)))).toEqual(['a'])
  })

  test('listDueWebhooks: lists a webhook when one of its deliveries is due', async () => {
    const isDue = async (): Promise<boolean> =>
      (await listDueWebhooks(database.db, new Date())).includes(fromId('whk', webhookId) as string)
    expect(await isDue()).toBe(false)
    await logEvents('a')
    await enqueue()
    expect(await isDue()).toBe(true)
    const [delivery] = await claim(1)
    await fail(delivery, inFuture(60_000))
    expect(await isDue()).toBe(false)
  })

  test('recordAttempt: the delivery stays pending when an operator has replayed it during the attempt', async () => {
    await logEvents('a')
    await enqueue()
    const [first] = await claim(1)
    await fail(first, new Date())
    const [slow] = await claim(1)
    const owner = { workspaceId, webhookId }
    await database.db.transaction().execute((tx) => replayDelivery(tx, owner, (slow as ClaimedDelivery).id, new Date()))
    await fail(slow)
    expect(await list()).toMatchObject([{ state: 'pending', attempts: 0 }])
  })

  test('eraseEvents: no delivery remains when the event becomes a delivery at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      await logEvents(`secret ${round}`)
      const erasing = database.db.transaction().execute((tx) => eraseEvents(tx, workspaceId, { objectIds: [`secret ${round}`] }))
      await Promise.all([enqueue(), erasing])
    }
    expect(await list()).toEqual([])
  })

  test('removeEndedDeliveries: removes only deliveries of the state when they ended before the time', async () => {
    await logEvents('a', 'b', 'c')
    await enqueue()
    const [a, b] = (await claim(2)) as [ClaimedDelivery, ClaimedDelivery]
    const longAgo = new Date('2001-01-01')
    await recordAttempt(database.db, a, { status: 200, failure: null, now: longAgo })
    await recordAttempt(database.db, b, { status: 500, failure: 'x', now: longAgo })
    await removeEndedDeliveries(database.db, 'delivered', new Date('2001-01-02'), 100)
    expect((await list()).map(({ state }) => state).sort()).toEqual(['dead', 'pending'])
  })
})
