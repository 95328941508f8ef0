import { describe, expect, test } from 'vitest'
import { expectError, expectSuccess } from '../../support/gateway-client.ts'
import { createMemoryFixture } from '../../support/memory-fixture.ts'
import { word } from '../../support/scripted-provider.ts'
import { clock, governed } from '../shared-server.ts'
import { CLASSIFICATIONS, MAIL, tokenOf } from './retrieval-client.ts'

const memoryFixture = await createMemoryFixture(governed)

describe('memory search', () => {
  test('assertion: up to 1,000 projects, and more are refused without delay', async () => {
    const topic = word()
    await memoryFixture.store(topic, { scope: 'project', scope_id: 'last' })
    const asking = (length: number) => ({
      user: { id: 'x', attributes: { projects: [...Array.from({ length }, (_, number) => `p${number}`), 'last'] } },
    })
    expect(await memoryFixture.texts(topic, {}, asking(999))).toEqual([topic])
    const { param } = expectError(await memoryFixture.search(topic, {}, asking(1_000)), 'VALIDATION_ERROR')
    expect(param).toBe('governance.user.attributes.projects')
    expectError(await memoryFixture.search(topic, {}, asking(32_000)), 'VALIDATION_ERROR')
  })
  test.each([5, 'x'.repeat(257)])('governance.session_id %j: 400 VALIDATION_ERROR [GW-MEMS-8]', async (session_id) => {
    const json = { query: 'x', governance: { session_id } }
    const response = await governed.post('/v1/memory/search', json, { token: memoryFixture.token })
    expect(expectError(response, 'VALIDATION_ERROR').param).toContain('governance.session_id')
  })
  test('MemoryHit: all fields, and no other [GW-MEMS-4]', async () => {
    const topic = word()
    const summary = 'In short.'
    const id = await memoryFixture.store(`A description of ${topic}.`, {
      summary,
      kind: 'decision',
      regulations: ['gdpr'],
    })
    expect(await memoryFixture.hits(topic)).toEqual([
      {
        memory_id: id,
        scope: 'application',
        kind: 'decision',
        content: `A description of ${topic}.`,
        summary,
        classification: 'internal',
        similarity: expect.any(Number),
      },
    ])
    expect(id).toMatch(/^mem_[0-9a-z]{26}$/)
  })
  test.each([
    ...['fact', 'preference', 'decision', 'summary', 'workflow_state'].map((kind) => ({ kind })),
    ...CLASSIFICATIONS.map((classification) => ({ classification })),
  ])('MemoryHit: %j; summary is null when none was given [GW-ENUM-1, GW-ENUM-3, GW-MEMS-4]', async (fields) => {
    const topic = word()
    await memoryFixture.store(`About ${topic}.`, fields)
    const hits = await memoryFixture.hits(topic, {}, { userToken: tokenOf('carol') })
    expect(hits).toMatchObject([{ ...fields, summary: null }])
  })
  test.each([
    ['user', {}],
    ['session', {}],
    ['application', {}],
    ['department', { scope_id: 'hangar' }],
    ['project', { scope_id: 'apollo' }],
    ['workspace', {}],
  ])('MemoryHit: scope %s [GW-ENUM-2]', async (scope, more) => {
    const topic = word()
    const user = { id: 'mara', department: 'hangar', attributes: { projects: ['apollo'] } }
    const asking = { user, session: 'afternoon' }
    await memoryFixture.store(`About ${topic}.`, { scope, ...more }, asking)
    expect((await memoryFixture.hits(topic, {}, asking)).map((hit) => hit.scope)).toEqual([scope])
  })
})

describe('memory search: visibility', () => {
  const expires = (seconds: number) => ({ expires_at: new Date(clock.now().getTime() + seconds * 1_000).toISOString() })
  test('audit_only: never returned, for any user [GW-MEMS-7]', async () => {
    const topic = word()
    const asking = { user: { id: 'mara' } }
    const captured = expectSuccess(await memoryFixture.capture(`About ${topic}. damson-audit`, { scope: 'user' }, asking))
    expect(captured).toMatchObject({ stored: true, mode: 'audit_only' })
    expect(await memoryFixture.hits(topic, { limit: 50 }, asking)).toEqual([])
  })
  test('expired memories: not returned from their expiry on [GW-MEMS-7]', async () => {
    const topic = word()
    await memoryFixture.store(`About ${topic}, for a while.`, expires(60))
    await memoryFixture.store(`About ${topic}, for longer.`, expires(3_600))
    await memoryFixture.store(`About ${topic}, for ever.`)
    expect(await memoryFixture.hits(topic)).toHaveLength(3)
    clock.advance(61_000)
    expect((await memoryFixture.texts(topic)).toSorted()).toEqual([`About ${topic}, for ever.`, `About ${topic}, for longer.`])
  })
  test.each([
    ['have expired', '', 60],
    ['are dropped by a rule', 'medlar-deny', 3_600],
  ])('page: is full when many memories before it %s', async (_, mark, seconds) => {
    const topic = word()
    for (let number = 0; number < 80; number++)
      await memoryFixture.store(`${topic} ${topic} ${mark}, ${number}.`, expires(seconds))
    for (let number = 0; number < 10; number++) await memoryFixture.store(`A longer text that names ${topic} once, ${number}.`)
    clock.advance(61_000)
    const texts = await memoryFixture.texts(topic)
    expect(texts).toEqual(Array.from({ length: 10 }, () => expect.stringMatching(/^A longer text/)))
  })
  test('redact: applies to summaries', async () => {
    const topic = word()
    await memoryFixture.store(`${topic} medlar-redact`, { summary: `Write to ${MAIL}` })
    const hits = await memoryFixture.hits(topic, {}, { userToken: tokenOf('carol') })
    expect(hits).toMatchObject([{ summary: 'Write to [EMAIL]' }])
  })
  test('memory:audit_only in the query: does not change the hits', async () => {
    const topic = word()
    await memoryFixture.store(`About ${topic}.`)
    expect(await memoryFixture.hits(`${topic} juniper-memory-audit`)).toHaveLength(1)
  })
})
