import { describe, expect, inject, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { createMemoryFixture } from '../support/memory-fixture.ts'

const CALLERS = Array.from({ length: inject('isFull') ? 50 : 15 }, (_, at) => at)
const OWN = 2
const SUBJECT = 'heron'
const contentOf = (caller: number, number: number) => `${SUBJECT} number ${number} is what caller ${caller} saw`

const governed = await closeAfterAll(startGoverned())
const memoryFixture = await createMemoryFixture(governed)

const as = (caller: number) => ({ user: { id: `caller ${caller}` } })

describe('many users who capture and search at the same time', () => {
  test('memory: no memory is duplicated, lost or found by another user', async () => {
    const ids = new Map<string, Set<string>>()
    const kept = (content: string, id: string) => ids.set(content, (ids.get(content) ?? new Set()).add(id))
    const foreign: string[] = []
    const look = async (caller: number) => {
      for (const found of await memoryFixture.texts(SUBJECT, { limit: 50 }, as(caller))) {
        // Either of the two texts that differ by a full stop may have been stored first.
        const text = found.replace(/\.$/, '')
        if (!text.endsWith(`caller ${caller} saw`) && text !== `${SUBJECT} of all`) foreign.push(`${caller}: ${text}`)
      }
    }
    await Promise.all(
      CALLERS.map(async (caller) => {
        for (let number = 0; number < OWN; number++) {
          const content = contentOf(caller, number)
          // The same text twice at the same time, as retries do, and one text that all users store.
          await Promise.all([
            ...[content, `${content}.`].map(async (text) =>
              kept(content, await memoryFixture.store(text, { scope: 'user' }, as(caller))),
            ),
            memoryFixture.store(`${SUBJECT} of all`, {}, as(caller)).then((id) => kept('all', id)),
            look(caller),
          ])
        }
      }),
    )
    expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([])
    expect(new Set([...ids.values()].flatMap((set) => [...set])).size).toBe(CALLERS.length * OWN + 1)

    const found = await Promise.all(CALLERS.map((caller) => memoryFixture.texts(SUBJECT, { limit: 50 }, as(caller))))
    for (const caller of CALLERS) {
      const own = Array.from({ length: OWN }, (_, number) => contentOf(caller, number))
      const texts = (found[caller] ?? []).map((text) => text.replace(/\.$/, ''))
      expect(texts.toSorted()).toEqual([...own, `${SUBJECT} of all`].toSorted())
    }
    expect(foreign).toEqual([])
  })
  test('memory: every capture has one audit record with the returned memory id', async () => {
    const { rows } = await governed.server.context.database.pool.query<{ body: string }>('select body from audit_record')
    const records = rows.map(({ body }) => JSON.parse(body)).filter(({ endpoint }) => endpoint === 'memory_capture')
    expect(records).toHaveLength(CALLERS.length * OWN * 3)
    const stored = await governed.server.context.database.pool.query('select id from memory_item')
    const remembered = new Set(records.flatMap(({ remembered }) => remembered.map(({ id }: { id: string }) => id)))
    const { data } = expectSuccess(await governed.admin('GET', '/memories?limit=100'))
    expect(remembered.size).toBe(CALLERS.length * OWN + 1)
    expect(stored.rows.length).toBeGreaterThanOrEqual(remembered.size)
    for (const { id } of data.filter(({ application_id }) => application_id === memoryFixture.id))
      expect(remembered).toContain(id)
  })
  test('memory: rare word is found only by the user who captured it', async () => {
    expect(await memoryFixture.texts('caller 7 saw', { limit: 1 }, as(7))).toEqual([expect.stringContaining('caller 7 saw')])
    for (const text of await memoryFixture.texts('caller 7 saw', { limit: 50 }, as(8))) expect(text).not.toContain('caller 7')
  })
})
