import fc from 'fast-check'
import { expect, test } from 'vitest'
import { generateUserTokenKeys, signUserToken } from '../../src/tools/demo/user-tokens.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { createKnowledgeFixture } from '../support/knowledge-fixture.ts'
import { mergeIndex } from '../support/merge-index.ts'

/** Random collections; each is searched by USERS random users. `WORLDS=200` takes about a minute and makes 5,000 searches. */
const WORLDS = Number(process.env.WORLDS ?? 8)
const USERS = 25
const DOCUMENTS = 8

const LISTS = ['users', 'roles', 'departments', 'groups'] as const
type Names = Partial<Record<(typeof LISTS)[number], string[]>>
type Acl = Names & { everyone?: true; deny?: Names }

/** Few names, so that lists name users often, and names of one kind are names of another. */
const name: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd')
const names: fc.Arbitrary<Names> = fc.record(
  Object.fromEntries(LISTS.map((list) => [list, fc.uniqueArray(name, { maxLength: 2 })])),
  { requiredKeys: [] },
)
const acl: fc.Arbitrary<Acl> = fc
  .record({ everyone: fc.boolean(), lists: names, deny: fc.option(names, { nil: undefined, freq: 2 }) })
  .map(({ everyone, lists, deny }) => ({ ...(everyone ? { everyone: true as const } : lists), ...(deny && { deny }) }))
const optionalAcl = fc.option(acl, { nil: null, freq: 3 })

const LEVELS = ['public', 'internal', 'confidential', 'restricted'] as const
const level = fc.option(fc.constantFrom(...LEVELS), { nil: null, freq: 4 })

const world = fc.record({
  collection: fc.record({ acl: optionalAcl, classification: level }),
  documents: fc.array(fc.record({ acl: optionalAcl, classification: level, limits: optionalAcl }), {
    minLength: DOCUMENTS,
    maxLength: DOCUMENTS,
  }),
  users: fc.array(
    fc.record({
      sub: name,
      role: fc.uniqueArray(name, { maxLength: 2 }),
      department: fc.uniqueArray(name, { maxLength: 2 }),
      groups: fc.uniqueArray(name, { maxLength: 2 }),
      clearance: fc.constantFrom(...LEVELS),
    }),
    { minLength: USERS, maxLength: USERS },
  ),
})
type World = ReturnType<typeof fc.sample<typeof world extends fc.Arbitrary<infer W> ? W : never>>[number]
type User = World['users'][number]
type Document = World['documents'][number]

/** Groups of the directory: a contains b, b contains the user c, and d contains a. */
const MEMBERS = { a: { groups: ['b'] }, b: { users: ['c'] }, d: { groups: ['a'] } }

/** The model reads the rules one by one and knows nothing of partitions, labels and masks. */
function isVisible({ collection }: World, document: Document, user: User): boolean {
  const groups = new Set(user.groups)
  if (user.sub === 'c') groups.add('b')
  if (groups.has('b')) groups.add('a')
  if (groups.has('a')) groups.add('d')
  const own = { users: [user.sub], roles: user.role, departments: user.department, groups: [...groups] }
  const isNamed = (lists: Names) => LISTS.some((list) => (lists[list] ?? []).some((one) => own[list].includes(one)))
  const permits = (list: Acl) => (list.everyone === true || isNamed(list)) && !isNamed(list.deny ?? {})
  if (collection.acl === null && document.acl === null) return false
  if ([collection.acl, document.acl, document.limits].some((list) => list !== null && !permits(list))) return false
  const labels = [collection.classification, document.classification].flatMap((one) => one ?? [])
  const strictest = labels.length === 0 ? 'restricted' : labels.reduce((a, b) => (LEVELS.indexOf(a) > LEVELS.indexOf(b) ? a : b))
  return LEVELS.indexOf(strictest) <= LEVELS.indexOf(user.clearance)
}

const governed = await closeAfterAll(startGoverned())
const keys = await generateUserTokenKeys()

test(`search: ${WORLDS * USERS} random users find exactly the documents that a naive model permits`, async () => {
  const settings = { jwks: { keys: [keys.publicJwk] }, issuer: null, audience: null }
  expectSuccess(await governed.admin('PATCH', `/workspaces/${governed.demo.workspace.id}`, { json: { settings } }))
  for (const [id, add] of Object.entries(MEMBERS)) {
    expectSuccess(await governed.admin('POST', '/user-groups', { json: { id } }), 201)
    expectSuccess(await governed.admin('POST', `/user-groups/${id}/members`, { json: { add } }))
  }
  const now = governed.server.context.clock.now()
  const times = { issuedAt: now, expiresAt: new Date(now.getTime() + 3_600_000) }
  let found = 0
  for (const drawn of fc.sample(world, { numRuns: WORLDS, seed: 20261130 })) {
    const { collection, documents, users } = drawn
    const fixture = await createKnowledgeFixture(governed, { collection, application: { ceiling: 'restricted' } })
    for (const [at, { limits, ...labels }] of documents.entries()) {
      const front = limits === null ? '' : `---\nacl: ${JSON.stringify(limits)}\n---\n`
      await fixture.put(`${front}The heron number ${at}.`, { key: String(at), ...labels })
      // Searches read some documents from the lists, and others before they are there.
      if (2 * at < documents.length) await mergeIndex(governed.server.context.db)
    }
    for (const { clearance, ...claims } of users) {
      const userToken = await signUserToken(keys.privateJwk, { ...times, ...claims, attributes: { clearance } })
      const texts = await fixture.texts('heron', { limit: 50 }, { userToken })
      const expected = documents.flatMap((document, at) =>
        isVisible(drawn, document, { clearance, ...claims }) ? `The heron number ${at}.` : [],
      )
      expect(texts.toSorted(), JSON.stringify({ drawn: { collection, documents }, claims, clearance })).toEqual(expected)
      found += texts.length
    }
  }
  expect(found).toBeGreaterThan(WORLDS * USERS * 0.2)
}, 900_000)
