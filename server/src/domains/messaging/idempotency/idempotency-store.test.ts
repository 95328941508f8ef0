import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { seedWorkspace } from '../../../../test/support/seed.ts'
import { fingerprintOf, replay } from '../../../api/messaging/idempotency.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { inTransaction } from '../../../platform/db/retried-transaction.ts'
import { ANONYMOUS_USER } from '../../../shared/principal.ts'
import { deleteExpiredKeys, findResponse, type IdempotencyKey, reserveKey, storeResponse } from './idempotency-store.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const DAY = 86_400_000
const later = (ms: number): Date => new Date(NOW.getTime() + ms)

describe.each(testDatabases())('idempotency keys on $name', async ({ name, open }) => {
  const database = await closeAfterAll(open())
  const workspaceId = (await seedWorkspace(database.db)).workspaceId

  const newKey = (key: string = crypto.randomUUID(), body: unknown = 'body', userId = 'ann'): IdempotencyKey => ({
    member: { workspaceId, user: { ...ANONYMOUS_USER, id: userId } },
    key,
    fingerprint: fingerprintOf('POST', '/v1/messages', body),
  })
  const run = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.db.transaction().execute(work)
  const respond = (idempotencyKey: IdempotencyKey, body: string, now = NOW) =>
    run(async (tx) => {
      const reserved = await reserveKey(tx, idempotencyKey, now)
      if (reserved) await storeResponse(tx, idempotencyKey, { status: 201, body })
      return reserved
    })

  test('keys: each user can reserve a key once', async () => {
    const idempotencyKey = newKey()
    expect(await findResponse(database.db, idempotencyKey, NOW)).toBeUndefined()
    expect(await respond(idempotencyKey, '{"a":1}')).toBe(true)
    expect(await respond(idempotencyKey, '{"a":2}')).toBe(false)
    expect(await findResponse(database.db, idempotencyKey, NOW)).toMatchObject({ status: 201, body: '{"a":1}' })
    expect(await findResponse(database.db, newKey(idempotencyKey.key, 'body', 'ben'), NOW)).toBeUndefined()
    const stored = await findResponse(database.db, idempotencyKey, NOW)
    expect(replay(stored, idempotencyKey.fingerprint)).toEqual({ status: 201, body: '{"a":1}' })
    expect(() => replay(stored, newKey(idempotencyKey.key, 'other').fingerprint)).toThrow(
      expect.objectContaining({ code: 'CONFLICT' }),
    )
  })

  test('keys: second request waits for the first and reserves the key when the first fails', async () => {
    const idempotencyKey = newKey()
    const order: string[] = []
    let second: Promise<boolean> = Promise.resolve(false)
    const first = run(async (tx) => {
      expect(await reserveKey(tx, idempotencyKey, NOW)).toBe(true)
      second = respond(idempotencyKey, '{}').finally(() => order.push('second'))
      await new Promise((resolve) => setTimeout(resolve, 100))
      order.push('first')
      throw new Error('first failed')
    })
    await expect(first).rejects.toThrow('first failed')
    expect(await second).toBe(true)
    expect(order).toEqual(['first', 'second'])
  })

  test('keys: can be reserved again after a day, and are deleted then', async () => {
    const idempotencyKey = newKey()
    await respond(idempotencyKey, 'old')
    expect(await findResponse(database.db, idempotencyKey, later(DAY - 1))).toBeDefined()
    expect(await findResponse(database.db, idempotencyKey, later(DAY))).toBeUndefined()
    expect(await respond(idempotencyKey, 'new', later(DAY))).toBe(true)
    expect(await findResponse(database.db, idempotencyKey, later(DAY))).toMatchObject({ body: 'new' })
    await respond(newKey(), 'old')
    expect(await deleteExpiredKeys(database.db, later(DAY), 1)).toBe(1)
    while ((await deleteExpiredKeys(database.db, later(DAY), 100)) > 0);
    expect(await findResponse(database.db, idempotencyKey, later(DAY))).toMatchObject({ body: 'new' })
  })

  test('fingerprint: does not depend on the order of fields', () => {
    expect(fingerprintOf('POST', '/a', { x: 1, y: 2 })).toEqual(fingerprintOf('POST', '/a', { y: 2, x: 1 }))
    expect(fingerprintOf('POST', '/a', { x: 1 })).not.toEqual(fingerprintOf('PUT', '/a', { x: 1 }))
    expect(fingerprintOf('POST', '/a', { x: 1 })).not.toEqual(fingerprintOf('POST', '/b', { x: 1 }))
  })

  // The embedded database runs one transaction at a time.
  test.runIf(name === 'postgresql')('transaction: runs again after a deadlock', async () => {
    const [a, b] = [newKey(), newKey()]
    await respond(a, '0')
    await respond(b, '0')
    let runs = 0
    let held = 0
    const bothHeld = Promise.withResolvers<void>()
    const both = (first: IdempotencyKey, second: IdempotencyKey) =>
      inTransaction(database.db, async (tx) => {
        runs++
        await storeResponse(tx, first, { status: 201, body: '1' })
        if (++held === 2) bothHeld.resolve()
        await bothHeld.promise
        await storeResponse(tx, second, { status: 201, body: '1' })
      })
    await Promise.all([both(a, b), both(b, a)])
    expect(runs).toBeGreaterThan(2)
  })
})
