import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { createKnowledgeFixture, createTestCollection } from '../support/knowledge-fixture.ts'
import { createMemoryFixture } from '../support/memory-fixture.ts'
import { mergeIndex } from '../support/merge-index.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const HIDDEN = 1_000
/** Rare, frequent, misspelt and inflected words, and one without hits. */
const QUERIES = ['amber', 'amber beryl coral', 'the price of beryl', 'corals', 'ambre', 'berylium', 'zeppelin', 'page 7']
const WORDS = ['amber', 'beryl', 'coral', 'price', 'page', 'trade', 'the', 'of']

/** A text for each number, of the words in the queries and of others. */
const prose = (number: number): string =>
  Array.from({ length: 5 + (number % 23) }, (_, at) => WORDS[(number * (at + 3) + at * at) % (WORDS.length + 3)] ?? `w${number}`)
    .join(' ')
    .concat(` ${number}.`)

const governed = await closeAfterAll(sharedGoverned())

const NOOR = { governance: { user: { id: 'noor' } } }

describe('hidden content [GW-KNOW-7]', () => {
  test(`search: responses have the same bytes when ${HIDDEN} hidden documents are added, changed and removed`, async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed)
    const stricter = await createTestCollection(governed, governed.demo.workspace.id, { classification: 'restricted' })
    await governed.change(knowledgeFixture.id, {
      settings: { knowledge: { collections: [knowledgeFixture.name, stricter.name] } },
    })
    for (let number = 0; number < 30; number++) {
      await knowledgeFixture.put(prose(number), number % 3 === 0 ? { acl: { users: ['noor'] } } : {})
    }
    const search = async () => {
      const answers = []
      for (const query of QUERIES) answers.push(expectSuccess(await knowledgeFixture.search(query, { limit: 50, ...NOOR })))
      return answers.map(({ governance: { audit_id: _, ...governance }, ...body }) => JSON.stringify({ ...body, governance }))
    }
    const before = await search()
    expect(before.filter((completion) => completion.includes('chk_')).length).toBeGreaterThanOrEqual(QUERIES.length - 1)

    const hide = async (text: (number: number) => string, users: readonly string[]) => {
      for (let number = 0; number < HIDDEN; number++) {
        const key = `hidden ${number}`
        const ids =
          number % 4 === 0
            ? await stricter.put(text(number), { key })
            : await knowledgeFixture.put(text(number), { key, acl: { users } })
        hidden.set(key, ids)
      }
    }
    const hidden = new Map<string, string>()
    await hide(prose, ['vera'])
    expect(await search()).toEqual(before)
    // Three of four hidden documents name vera, and at most 50 hits are returned.
    const visible = await knowledgeFixture.hits('amber', { limit: 50, governance: { user: { id: 'vera' } } })
    expect(visible.length).toBeGreaterThanOrEqual(Math.min(50, HIDDEN / 2))
    await mergeIndex(governed.server.context.db)
    expect(await search()).toEqual(before)
    await hide((number) => `${prose(number + 1)} ${prose(number + 5)}`, ['vera', 'wim'])
    expect(await search()).toEqual(before)
    await mergeIndex(governed.server.context.db)
    for (const id of hidden.values()) await knowledgeFixture.remove(id)
    expect(await search()).toEqual(before)
  }, 600_000)

  test(`recall: responses have the same bytes when ${HIDDEN} memories of other users are added and erased`, async () => {
    const memoryFixture = await createMemoryFixture(governed)
    const noor = { user: { id: 'noor' }, session: 'morning' }
    for (let number = 0; number < 20; number++) {
      await memoryFixture.store(prose(number), { scope: (['user', 'session', 'application'] as const)[number % 3] }, noor)
    }
    const search = async () => {
      const answers = []
      for (const query of QUERIES) answers.push(expectSuccess(await memoryFixture.search(query, { limit: 50 }, noor)))
      return answers.map(({ governance: { audit_id: _, ...governance }, ...body }) => JSON.stringify({ ...body, governance }))
    }
    const before = await search()
    for (let number = 0; number < HIDDEN; number += 10) {
      const batch = Array.from({ length: 10 }, (_, at) => number + at)
      await Promise.all(
        batch.map((one) => memoryFixture.store(`${prose(one)} ${one}`, { scope: 'user' }, { user: { id: `vera ${one % 20}` } })),
      )
    }
    expect(await search()).toEqual(before)
    let erased = 0
    for (let user = 0; user < 20; user++) {
      erased += Number(expectSuccess(await governed.admin('DELETE', `/users/vera%20${user}/memories`)).erased)
    }
    expect(erased).toBeGreaterThan(HIDDEN * 0.9)
    expect(await search()).toEqual(before)
  }, 600_000)
})
