import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { createKnowledgeFixture } from '../support/knowledge-fixture.ts'

const governed = await closeAfterAll(startGoverned())
const fixture = await createKnowledgeFixture(governed)
const documents = [
  await fixture.put('The heron nests here.', { title: 'Open' }),
  await fixture.put('The heron plan is closed.', { title: 'Closed', regulations: ['hipaa'] }),
  await fixture.put('The heron map is for bob.', { title: 'Bob', acl: { users: ['bob'] } }),
  await fixture.put('The heron ledger is not for ann.', { title: 'Not ann', acl: { everyone: true, deny: { users: ['ann'] } } }),
  await fixture.put('A heron with a forbidden word.', { title: 'Forbidden' }),
]
const falcon = await fixture.put('A falcon alone.', { title: 'Falcon' })

interface Explained {
  readonly chunk_id: string
  readonly title: string
  readonly checks: readonly { readonly rule: string; readonly passed: boolean; readonly because: string }[]
}

interface ExplainedDocument extends Omit<Explained, 'chunk_id'> {
  readonly state: string
  readonly rank: number | null
  readonly missing_words: readonly string[]
}

const explain = async (id: string, document?: string) => {
  const more = { user: { id, verified: false }, ...(document && { document_id: document }) }
  const json = { query: 'heron', application_id: fixture.id, ...more }
  return expectSuccess(await governed.admin('POST', '/knowledge/search', { json })) as unknown as {
    readonly document: ExplainedDocument | null
    readonly withheld_by: readonly string[]
    readonly visible: readonly Explained[]
    readonly hidden: readonly Explained[]
  }
}

const rule = (id: string, at: string, when: string, verdict = 'deny') => ({ id, at: [at], when, verdict })
const POLICIES: readonly (readonly [policy: string, rules: readonly ReturnType<typeof rule>[], leftOut: readonly string[]])[] = [
  ['no rules', [rule('none', 'input', 'false')], []],
  ['a rule on labels', [rule('no-hipaa', 'retrieve', '"hipaa" in hit.regulations')], ['Closed']],
  ['a rule on the text', [rule('no-word', 'retrieve', 'content.text.contains("forbidden")')], ['Forbidden']],
  ['a rule at output', [rule('no-output', 'output', 'content.text.contains("forbidden")')], ['Forbidden']],
  ['an approval', [rule('ask', 'retrieve', 'content.text.contains("forbidden")', 'require_approval')], ['Forbidden']],
  ['a rule on the query', [rule('no-query', 'input', 'content.text.contains("heron")')], ['Closed', 'Forbidden', 'Open']],
]

test.each(POLICIES)('explained search: agrees with the search under %s', async (_, rules, leftOut) => {
  await governed.publish(rules)
  for (const user of ['ann', 'bob']) {
    const hits = await fixture.hits('heron', { governance: { user: { id: user } } })
    const { visible, hidden } = await explain(user)
    expect(visible.map(({ chunk_id }) => chunk_id)).toEqual(hits.map(({ chunk_id }) => chunk_id))
    expect(visible.flatMap(({ checks }) => checks).every(({ passed }) => passed)).toBe(true)
    const failing = ({ checks }: Explained) => checks.filter(({ passed }) => !passed).map((check) => check.rule)
    expect(hidden.every((passage) => failing(passage).length > 0)).toBe(true)
    const byPolicy = hidden.filter((passage) => failing(passage).includes('policy')).map(({ title }) => title)
    expect(byPolicy.filter((title) => title !== 'Bob' && title !== 'Not ann').sort()).toEqual(leftOut)
  }
})

test.each(POLICIES)(
  'explained document: its rank is that of the search under %s, and a reason is shown if it has none',
  async (_, rules) => {
    await governed.publish(rules)
    for (const user of ['ann', 'bob']) {
      const hits = await fixture.hits('heron', { limit: 50, governance: { user: { id: user } } })
      for (const id of documents) {
        const { document, hidden } = await explain(user, id)
        const place = hits.findIndex(({ document_id }) => document_id === id)
        expect(document).toMatchObject({ state: 'indexed', rank: place < 0 ? null : place + 1, missing_words: [] })
        const failing = [
          ...(document?.checks ?? []),
          ...hidden.filter(({ title }) => title === document?.title).flatMap(({ checks }) => checks),
        ]
        expect(failing.some(({ passed }) => !passed)).toBe(place < 0)
      }
    }
  },
)

test('explained document: names the words that it lacks; 404 for an unknown document', async () => {
  await governed.publish([rule('none', 'input', 'false')])
  expect((await explain('ann', falcon)).document).toMatchObject({ rank: null, missing_words: ['heron'] })
  const json = { query: 'heron', application_id: fixture.id, document_id: 'doc_00000000000000000000000000' }
  expectError(await governed.admin('POST', '/knowledge/search', { json }), 'NOT_FOUND')
})
