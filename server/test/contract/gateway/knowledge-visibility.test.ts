import { beforeAll, describe, expect, test } from 'vitest'
import { createKnowledgeFixture, EVERYONE, type KnowledgeFixture } from '../../support/knowledge-fixture.ts'
import { word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'
import { as, tokenOf } from './retrieval-client.ts'

describe('knowledge: visibility of hits [GW-KNOW-6]', () => {
  test.each([
    ['everyone', EVERYONE, 'mara noor anonymous'],
    ['users', { users: ['mara'] }, 'mara'],
    ['roles', { roles: ['pilot'] }, 'mara'],
    ['departments', { departments: ['hangar'] }, 'noor'],
    ['users or roles or departments', { users: ['mara'], roles: ['clerk'], departments: ['hangar'] }, 'mara noor'],
    ['an empty list', { users: [] }, ''],
    ['an empty name', { users: [''], roles: [''], departments: [''] }, ''],
    ['no ACL', null, ''],
  ])('ACL of a collection: %s', async (_, acl, readers) => {
    const knowledgeFixture = await createKnowledgeFixture(governed, { collection: { acl } })
    await knowledgeFixture.put('Sea trade of amber.')
    const callers = {
      mara: as('mara', { role: 'pilot' }),
      noor: as('noor', { department: 'hangar' }),
      anonymous: {},
    }
    for (const [name, more] of Object.entries(callers)) {
      expect(await knowledgeFixture.texts('amber', more), name).toHaveLength(readers.split(' ').includes(name) ? 1 : 0)
    }
  })
  test("ACL of a document: narrows the collection's, and applies alone when the collection has none", async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed, { collection: { acl: { users: ['mara', 'noor'] } } })
    await knowledgeFixture.put('amber for both')
    await knowledgeFixture.put('amber for mara', { acl: { users: ['mara', 'vera'] } })
    expect((await knowledgeFixture.texts('amber', as('mara'))).toSorted()).toEqual(['amber for both', 'amber for mara'])
    expect(await knowledgeFixture.texts('amber', as('noor'))).toEqual(['amber for both'])
    expect(await knowledgeFixture.texts('amber', as('vera'))).toEqual([])
    await knowledgeFixture.change({ acl: null })
    expect(await knowledgeFixture.texts('amber', as('vera'))).toEqual(['amber for mara'])
    expect(await knowledgeFixture.texts('amber', as('noor'))).toEqual([])
  })
  test('collection: searched only for its Applications', async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed)
    const other = await createKnowledgeFixture(governed, { knowledge: { collections: [knowledgeFixture.name] } })
    await knowledgeFixture.put('Sea trade of amber.')
    const counts = async () => [(await knowledgeFixture.hits('amber')).length, (await other.hits('amber')).length]
    expect(await counts()).toEqual([1, 1])
    await knowledgeFixture.change({ applications: [knowledgeFixture.id] })
    expect(await counts()).toEqual([1, 0])
    await knowledgeFixture.change({ applications: [] })
    expect(await counts()).toEqual([0, 0])
  })
  test('collections: chosen by name or id; without a choice all that are open to the Application', async () => {
    const topic = word()
    const [first, second] = [await createKnowledgeFixture(governed), await createKnowledgeFixture(governed)]
    await first.put(`${topic} one`)
    await second.put(`${topic} two`)
    const found = async (collections: readonly string[] | null) => {
      await governed.change(first.id, { settings: { knowledge: { enabled: true, collections } } })
      return (await first.texts(topic)).toSorted()
    }
    expect(await found([second.collection.id])).toEqual([`${topic} two`])
    expect(await found([first.name, second.name])).toEqual([`${topic} one`, `${topic} two`])
    expect(await found([])).toEqual([])
    expect(await found(['no such collection'])).toEqual([])
    expect(await found(null)).toEqual([`${topic} one`, `${topic} two`])
  })
  test('classification: the stricter of collection and document; restricted when neither has one', async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed, { collection: { classification: 'confidential' } })
    await knowledgeFixture.put('amber milder', { classification: 'public' })
    await knowledgeFixture.put('amber stricter', { classification: 'restricted' })
    const shown = async () => {
      const hits = await knowledgeFixture.hits('amber', {}, { userToken: tokenOf('carol') })
      return Object.fromEntries(hits.map(({ content, classification }) => [content.trim(), classification]))
    }
    expect(await shown()).toEqual({ 'amber milder': 'confidential', 'amber stricter': 'restricted' })
    await knowledgeFixture.change({ classification: null })
    await knowledgeFixture.put('amber unlabelled')
    expect(await shown()).toMatchObject({ 'amber milder': 'public', 'amber unlabelled': 'restricted' })
    expect(await knowledgeFixture.texts('amber')).toEqual(['amber milder'])
  })
  test('front matter: can only narrow visibility', async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed)
    await knowledgeFixture.put('---\nclassification: public\nacl: everyone\n---\namber that opens itself', {
      acl: { users: ['mara'] },
    })
    await knowledgeFixture.put('---\nclassification: confidential\n---\namber that closes itself')
    expect(await knowledgeFixture.texts('amber', as('noor'))).toEqual([])
    expect((await knowledgeFixture.hits('amber', as('mara'))).map((hit) => hit.classification)).toEqual(['internal'])
  })
})

describe('knowledge: a change is visible in the next search [GW-KNOW-6]', () => {
  let knowledgeFixture: KnowledgeFixture
  beforeAll(async () => {
    knowledgeFixture = await createKnowledgeFixture(governed)
  })
  test('ACLs and classifications, of documents and collections', async () => {
    const document = await knowledgeFixture.put('beryl')
    const found = () => knowledgeFixture.texts('beryl', as('noor'))
    const steps: [() => Promise<unknown>, number][] = [
      [() => knowledgeFixture.relabel(document, { acl: { users: ['mara'] } }), 0],
      [() => knowledgeFixture.relabel(document, { acl: { users: ['noor'] } }), 1],
      [() => knowledgeFixture.relabel(document, { classification: 'restricted' }), 0],
      [() => knowledgeFixture.relabel(document, { classification: null, acl: null }), 1],
      [() => knowledgeFixture.change({ acl: { users: ['mara'] } }), 0],
      [() => knowledgeFixture.change({ acl: EVERYONE }), 1],
      [() => knowledgeFixture.change({ classification: 'confidential' }), 0],
      [() => knowledgeFixture.change({ classification: 'internal' }), 1],
      [() => knowledgeFixture.remove(document), 0],
    ]
    expect(await found()).toHaveLength(1)
    for (const [step, count] of steps) {
      await step()
      expect(await found(), String(step)).toHaveLength(count)
    }
  })
  test('content: the new version is found and the old one is not', async () => {
    await knowledgeFixture.put('cobalt of the first version', { key: 'page' })
    await knowledgeFixture.put('nickel of the second version', { key: 'page' })
    expect(await knowledgeFixture.texts('cobalt nickel version')).toEqual(['nickel of the second version'])
  })
})
