import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess, type GatewayResponse } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { createKnowledgeFixture, createTestCollection } from '../support/knowledge-fixture.ts'
import { createMemoryFixture } from '../support/memory-fixture.ts'
import { mergeIndex } from '../support/merge-index.ts'

const governed = await closeAfterAll(startGoverned())

const DENIED = 40
/** Words of visible and of denied texts, some of them misspelt. */
const QUERIES = ['amber', 'amber beryl', 'corals', 'ambre', 'zirkon', 'zircon amber', 'the price of beryl']
const WORDS = ['amber', 'beryl', 'coral', 'price', 'page', 'trade', 'the', 'of']
const prose = (number: number, more: readonly string[] = []): string =>
  Array.from(
    { length: 5 + (number % 17) },
    (_, at) => [...WORDS, ...more][(number * (at + 3) + at * at) % (WORDS.length + more.length)],
  )
    .join(' ')
    .concat(` ${number}.`)
const secret = (number: number): string => prose(number, ['zircon', 'zirconium', 'ambers'])

const ANN = { governance: { user: { id: 'ann' } } }

const withoutId = ({ governance: { audit_id: _, ...governance }, ...body }: ReturnType<typeof expectSuccess>) =>
  JSON.stringify({ ...body, governance })

const answersOf = async (search: (query: string) => Promise<GatewayResponse>): Promise<readonly string[]> => {
  const answers = []
  for (const query of QUERIES) answers.push(withoutId(expectSuccess(await search(query))))
  return answers
}

const deny = (point: 'retrieve' | 'recall', when: string) =>
  governed.publish([{ id: 'denied-by-labels', at: [point], when, verdict: 'deny' }])

/** Documents that the rule denies: in a collection, and with labels, of their own. */
const DOCUMENT_RULES: readonly (readonly [rule: string, when: string, labels: object])[] = [
  ['collection', 'hit.collection.startsWith("closed")', {}],
  ['classification', 'hit.classification == "confidential"', { classification: 'confidential' }],
  ['regulations', '"hipaa" in hit.regulations', { regulations: ['hipaa'] }],
  ['title', 'hit.title == "Closed"', { title: 'Closed' }],
  ['title and user', 'user.id == "ann" && hit.title.startsWith("Clo")', { title: 'Closed' }],
  ['title and lists', 'hit.title == "Closed"', { title: 'Closed', acl: { users: ['ann', 'bob'] } }],
  ['time and regulations', 'hit.updated_at <= now && "hipaa" in hit.regulations', { regulations: ['hipaa'] }],
  ['attribute that users lack', 'hit.title == "Closed" && user.attributes.wing == "left"', { title: 'Closed' }],
]

describe.each(DOCUMENT_RULES)('documents that a rule denies by %s', (_, when, labels) => {
  test('change no byte of a search, also if lists hide others, and the record of the caller does not name them', async () => {
    await deny('retrieve', when)
    const fixture = await createKnowledgeFixture(governed, { settings: { assertion_clearance: 'restricted' } })
    const name = `closed ${crypto.randomUUID()}`
    const closed = await createTestCollection(governed, governed.demo.workspace.id, { name })
    await governed.change(fixture.id, { settings: { knowledge: { collections: [fixture.name, name] } } })
    for (let number = 0; number < 25; number++) {
      await fixture.put(prose(number), number % 3 === 0 ? { acl: { users: ['ann', `reader ${number}`] } } : {})
    }
    const search = (query: string) => fixture.search(query, { limit: 50, ...ANN })
    const before = await answersOf(search)
    expect(before.filter((answer) => answer.includes('chk_')).length).toBeGreaterThanOrEqual(5)
    const isCollection = when.includes('hit.collection')
    const places = isCollection ? [closed] : [closed, fixture]
    for (let number = 0; number < DENIED; number++) await places[number % places.length]?.put(secret(number), labels)
    expect(await answersOf(search)).toEqual(before)
    await mergeIndex(governed.server.context.db)
    expect(await answersOf(search)).toEqual(before)

    const response = await search('amber')
    const record = await governed.api('GET', `/v1/audit/${expectSuccess(response).governance.audit_id}`, { token: fixture.token })
    expect(JSON.stringify(expectSuccess(record))).not.toContain('denied-by-labels')
    // Without the rule the documents are found.
    await governed.publish([{ id: 'other', at: ['input'], when: 'false', verdict: 'deny' }])
    expect(await answersOf(search)).not.toEqual(before)
  }, 120_000)
})

const MEMORY_RULES: readonly (readonly [rule: string, when: string, labels: object])[] = [
  ['kind', 'memory.kind == "decision"', { kind: 'decision' }],
  ['scope', 'memory.scope == "workspace"', { scope: 'workspace' }],
  ['classification', 'memory.classification == "confidential"', { classification: 'confidential' }],
  ['time', 'memory.created_at <= now && memory.kind == "decision"', { kind: 'decision' }],
]

test.each(MEMORY_RULES)(
  'memories that a rule denies by %s change no byte of a recall',
  async (_, when, labels) => {
    await deny('recall', when)
    const settings = { assertion_clearance: 'restricted' }
    const fixture = await createMemoryFixture(governed, {}, { settings, ceiling: 'restricted' })
    const ann = { user: { id: `ann ${crypto.randomUUID()}` } }
    for (let number = 0; number < 15; number++) await fixture.store(prose(number), { scope: 'user' }, ann)
    const search = (query: string) => fixture.search(query, { limit: 50 }, ann)
    const before = await answersOf(search)
    for (let number = 0; number < DENIED; number++) await fixture.store(secret(number), { scope: 'user', ...labels }, ann)
    expect(await answersOf(search)).toEqual(before)
    await governed.publish([{ id: 'other', at: ['input'], when: 'false', verdict: 'deny' }])
    expect(await answersOf(search)).not.toEqual(before)
  },
  120_000,
)
