import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { createKnowledgeStoreFixture, NOW } from '../../../test/support/knowledge-store-fixture.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { newId } from '../../platform/lib/id.ts'
import { CLASSIFICATIONS, type Classification } from '../../shared/classification.ts'
import { ANONYMOUS_USER } from '../../shared/principal.ts'
import type { Viewer } from '../../shared/viewer.ts'
import type { Acl, Names } from './acl.ts'
import { updateCollection } from './collection-store.ts'
import { relabelDocument } from './relabel.ts'

const APPLICATIONS = [newId('app'), newId('app')]

const word = (...words: string[]) => fc.constantFrom('', ...words)
const some = (...words: string[]) => fc.option(fc.subarray(['', ...words]), { nil: undefined })
const names: fc.Arbitrary<Names> = fc
  .record({
    users: some('ann', 'bob'),
    roles: some('agent', 'ann'),
    departments: some('claims', 'agent'),
    groups: some('staff', 'board', 'ann'),
  })
  .map((lists) => Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined)))
const permitted: fc.Arbitrary<Acl> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ everyone: true } as const) },
  { weight: 3, arbitrary: names },
)
const acl: fc.Arbitrary<Acl> = fc.oneof(
  { weight: 3, arbitrary: permitted },
  { weight: 1, arbitrary: fc.tuple(permitted, names).map(([one, deny]) => ({ ...one, deny })) },
)
const label = fc.option(fc.constantFrom(...CLASSIFICATIONS))
const labels = fc.record({ classification: label, acl: fc.option(acl) })
const collection = fc.record({
  classification: label,
  acl: fc.option(acl),
  applications: fc.option(fc.subarray(APPLICATIONS)),
})
/** Front matter cannot contain an empty name. */
const frontMatter = fc.record({
  classification: label,
  acl: fc.option(acl.filter((value) => !JSON.stringify(value).includes('""'))),
})
const viewer = fc.record({
  applicationId: fc.constantFrom(...APPLICATIONS),
  user: fc
    .record({
      id: word('ann', 'bob'),
      role: word('agent', 'claims'),
      department: word('claims', 'ann'),
      groups: fc.subarray(['', 'staff', 'board']),
    })
    .map((user) => ({ ...ANONYMOUS_USER, ...user })),
  ceiling: fc.constantFrom(...CLASSIFICATIONS),
})

const knowledgeBase = fc.record({
  collections: fc.array(fc.record({ first: collection, later: fc.option(collection) }), { minLength: 1, maxLength: 3 }),
  documents: fc.array(fc.record({ where: fc.nat(2), frontMatter, first: labels, later: fc.option(labels) }), {
    minLength: 1,
    maxLength: 8,
  }),
  viewers: fc.array(viewer, { minLength: 6, maxLength: 6 }),
})

interface OwnLabels {
  readonly classification: Classification | null
  readonly acl: Acl | null
}

/** An independent implementation of the visibility rule (GW-KNOW-6) for one document and one viewer. */
function maySee(
  { applicationId, user, ceiling }: Pick<Viewer, 'applicationId' | 'user' | 'ceiling'>,
  collection: OwnLabels & { readonly applications: readonly string[] | null },
  document: OwnLabels,
  front: OwnLabels,
): boolean {
  const level = (value: Classification | null): number => (value === null ? -1 : CLASSIFICATIONS.indexOf(value))
  const given = Math.max(level(collection.classification), level(document.classification))
  const sensitive = Math.max(given === -1 ? 3 : given, level(front.classification))
  const listed = (value: string, list: readonly string[] | undefined) => value.length > 0 && list?.some((one) => one === value)
  const names = (one: Names): boolean =>
    Boolean(
      listed(user.id, one.users) ||
        listed(user.role, one.roles) ||
        listed(user.department, one.departments) ||
        user.groups?.some((group) => listed(group, one.groups)),
    )
  const admits = (one: Acl): boolean => ('everyone' in one ? one.everyone : names(one)) && !(one.deny && names(one.deny))
  const acls = [collection.acl, document.acl]
  if (acls.every((one) => one === null)) return false
  for (const one of [...acls, front.acl]) if (one !== null && !admits(one)) return false
  return (
    sensitive <= level(ceiling) &&
    (collection.applications === null || collection.applications.some((id) => id === applicationId))
  )
}

describe.each(testDatabases())('visibility on $name', async ({ open }) => {
  const database = await closeAfterAll(open())

  test('search: finds exactly the documents that the visibility rule permits', async () => {
    let seen = 0
    let unseen = 0
    await fc.assert(
      fc.asyncProperty(knowledgeBase, async ({ collections, documents, viewers }) => {
        const { workspaceId } = await seedWorkspace(database.db)
        const knowledge = createKnowledgeStoreFixture(database, workspaceId)
        const stored = await Promise.all(collections.map(({ first }) => knowledge.collection(first)))
        const placed: { collection: number; id: string; frontMatter: OwnLabels; first: OwnLabels; later: OwnLabels | null }[] = []
        for (const [at, { where, ...document }] of documents.entries()) {
          const index = where % stored.length
          const text = `---\n${yaml(document.frontMatter)}\n---\n\nThe lighthouse of number ${at}.`
          const { id } = stored[index] ?? { id: '' }
          placed.push({
            collection: index,
            ...document,
            id: (await knowledge.put({ id }, `k${at}`, text, document.first)).documentId,
          })
        }
        const check = async (
          collectionAt: (at: number) => (typeof collections)[0]['first'],
          labelsOf: (document: (typeof placed)[0]) => OwnLabels,
        ) => {
          for (const one of viewers) {
            const found = await knowledge.found({ ...one, workspaceId, sessionId: '' }, 'lighthouse')
            const expected = placed.filter((doc) => maySee(one, collectionAt(doc.collection), labelsOf(doc), doc.frontMatter))
            expect(found.map(({ documentId }) => documentId).sort()).toEqual(expected.map(({ id }) => id).sort())
            seen += expected.length
            unseen += placed.length - expected.length
          }
        }
        const firstOf = (at: number) => collections[at]?.first ?? fail()
        await check(firstOf, ({ first }) => first)
        for (const [at, { later }] of collections.entries()) {
          if (later) await knowledge.transact((tx) => updateCollection(tx, workspaceId, stored[at]?.id ?? '', later, NOW))
        }
        for (const { id, later } of placed) {
          if (later) await knowledge.transact((tx) => relabelDocument(tx, workspaceId, id, later))
        }
        await check(
          (at) => collections[at]?.later ?? firstOf(at),
          ({ first, later }) => later ?? first,
        )
      }),
      { numRuns: 25 },
    )
    // The test has a meaning only if both cases occurred often.
    expect(seen).toBeGreaterThan(50)
    expect(unseen).toBeGreaterThan(50)
  }, 300_000)
})

/** One line for each label; JSON values are valid YAML. */
const yaml = (labels: OwnLabels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join('\n')

const fail = (): never => {
  throw new Error('no such collection')
}
