import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import type { Database, Tx } from '../../db/database.ts'
import { NOBODY } from '../../domain/principal.ts'
import { findGiven, fingerprintOf, keepGiven, type Once, removeOldKeys, takeKey } from './idempotency.ts'
import { inTransaction } from './transaction.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const DAY = 86_400_000
const later = (ms: number): Date => new Date(NOW.getTime() + ms)

describe.each(testDatabases())('idempotency keys on $name', ({ name, open }) => {
  let database: Database
  let workspaceId: string
  beforeAll(async () => {
    database = await open()
    workspaceId = (await seedWorkspace(database.db)).workspaceId
  })
  afterAll(() => database.close())

  const once = (key: string = crypto.randomUUID(), body: unknown = 'body', userId = 'ann'): Once => ({
    member: { workspaceId, user: { ...NOBODY, id: userId } },
    key,
    fingerprint: fingerprintOf('POST', '/v1/messages', body),
  })
  const run = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.db.transaction().execute(work)
  const answer = (of: Once, body: string, now = NOW) =>
    run(async (tx) => {
      const taken = await takeKey(tx, of, now)
      if (taken) await keepGiven(tx, of, { status: 201, body })
      return taken
    })

  test('are taken once, for one user', async () => {
    const of = once()
    expect(await findGiven(database.db, of, NOW)).toBeUndefined()
    expect(await answer(of, '{"a":1}')).toBe(true)
    expect(await answer(of, '{"a":2}')).toBe(false)
    expect(await findGiven(database.db, of, NOW)).toEqual({ status: 201, body: '{"a":1}' })
    expect(await findGiven(database.db, once(of.key, 'body', 'ben'), NOW)).toBeUndefined()
    await expect(findGiven(database.db, once(of.key, 'other'), NOW)).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  test('who comes second waits for the first, and takes the key if that one fails', async () => {
    const of = once()
    const order: string[] = []
    let second: Promise<boolean> = Promise.resolve(false)
    const first = run(async (tx) => {
      expect(await takeKey(tx, of, NOW)).toBe(true)
      second = answer(of, '{}').finally(() => order.push('second'))
      await new Promise((resolve) => setTimeout(resolve, 100))
      order.push('first')
      throw new Error('no room')
    })
    await expect(first).rejects.toThrow('no room')
    expect(await second).toBe(true)
    expect(order).toEqual(['first', 'second'])
  })

  test('are free again after a day, and then removed', async () => {
    const of = once()
    await answer(of, 'old')
    expect(await findGiven(database.db, of, later(DAY - 1))).toBeDefined()
    expect(await findGiven(database.db, of, later(DAY))).toBeUndefined()
    expect(await answer(of, 'new', later(DAY))).toBe(true)
    expect(await findGiven(database.db, of, later(DAY))).toMatchObject({ body: 'new' })
    await answer(once(), 'old')
    expect(await removeOldKeys(database.db, later(DAY), 1)).toBe(1)
    while ((await removeOldKeys(database.db, later(DAY), 100)) > 0);
    expect(await findGiven(database.db, of, later(DAY))).toMatchObject({ body: 'new' })
  })

  test('the order of fields makes no other request', () => {
    expect(fingerprintOf('POST', '/a', { x: 1, y: 2 })).toEqual(fingerprintOf('POST', '/a', { y: 2, x: 1 }))
    expect(fingerprintOf('POST', '/a', { x: 1 })).not.toEqual(fingerprintOf('PUT', '/a', { x: 1 }))
    expect(fingerprintOf('POST', '/a', { x: 1 })).not.toEqual(fingerprintOf('POST', '/b', { x: 1 }))
  })

  // The embedded database runs one transaction at a time.
  test.runIf(name === 'postgresql')('a transaction that meets a deadlock is run again', async () => {
    const [a, b] = [once(), once()]
    await answer(a, '0')
    await answer(b, '0')
    let runs = 0
    const both = (first: Once, second: Once) =>
      inTransaction(database.db, async (tx) => {
        runs++
        await keepGiven(tx, first, { status: 201, body: '1' })
        await new Promise((resolve) => setTimeout(resolve, 50))
        await keepGiven(tx, second, { status: 201, body: '1' })
      })
    await Promise.all([both(a, b), both(b, a)])
    expect(runs).toBeGreaterThan(2)
  })
})
