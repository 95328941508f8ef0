import { describe, expect, test } from 'vitest'
import { assertNoContent } from '../../support/audit.ts'
import { dumpTables } from '../../support/dump-tables.ts'
import { contentOf, expectError, expectSuccess } from '../../support/gateway-client.ts'
import { createMemoryFixture } from '../../support/memory-fixture.ts'
import { word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'
import { chat, MAIL, MARA, NOOR, recordOf, tokenOf } from './memory-client.ts'

describe('memories in a chat', () => {
  test('prompt: memories follow the question as delimited data with kind and scope, and the record lists them', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    const user = { user: { id: word() } }
    const id = await memoryFixture.store('My desk is by the ruby window.', { scope: 'user', kind: 'preference' }, user)
    const { response, upstreamRequests, sentPrompt } = await chat(memoryFixture, 'Where is the ruby?', user)
    const sent = upstreamRequests()[0]?.body.messages ?? []
    expect(sent).toHaveLength(1)
    expect(sent[0]?.role).toBe('user')
    expect(sent[0]?.content.startsWith(`${sentPrompt}\n\n`)).toBe(true)
    expect(sent[0]?.content).toMatch(
      new RegExp(`^--- (\\S+) memory ${id}: preference, user\\nMy desk is by the ruby window\\.\\n--- \\1 end of memory$`, 'm'),
    )
    const record = await recordOf(memoryFixture, response)
    expect(record.memory).toEqual([{ id, score: expect.any(Number), hash: expect.any(String) }])
    assertNoContent(record as never, ['ruby window', sentPrompt])
  })
  test.each([
    [0, 0],
    [2, 2],
    [undefined, 5],
  ])('settings.memory.recall %j: %i memories', async (recall, count) => {
    const memoryFixture = await createMemoryFixture(governed, recall === undefined ? {} : { recall })
    for (let number = 0; number < 8; number++) await memoryFixture.store(`amethyst ${number}`)
    const { upstreamRequests } = await chat(memoryFixture, 'amethyst')
    expect(upstreamRequests()[0]?.raw.split('end of memory').length).toBe(count + 1)
  })
  test('settings.memory.scopes: limits the recall of chats and not of searches', async () => {
    const memoryFixture = await createMemoryFixture(governed, { scopes: ['user'] })
    const user = { user: { id: word() } }
    await memoryFixture.store('amethyst of the user', { scope: 'user' }, user)
    await memoryFixture.store('amethyst of the Application', {}, user)
    const { upstreamRequests } = await chat(memoryFixture, 'amethyst', user)
    expect(upstreamRequests()[0]?.raw).toContain('amethyst of the user')
    expect(upstreamRequests()[0]?.raw).not.toContain('amethyst of the Application')
    expect(await memoryFixture.texts('amethyst', {}, user)).toHaveLength(2)
  })
  test('prompt: has no memory of another user [GW-MEMS-6]', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    await memoryFixture.store('The pearl is for Vera.', { scope: 'user' }, MARA)
    expect((await chat(memoryFixture, 'Whose is the pearl?', MARA)).upstreamRequests()[0]?.raw).toContain('for Vera')
    expect((await chat(memoryFixture, 'Whose is the pearl?', NOOR)).upstreamRequests()[0]?.raw).not.toContain('for Vera')
  })
  test.each(['juniper-memory-off', 'medlar-deny', 'medlar-broken'])('prompt: no hits when %s', async (mark) => {
    const memoryFixture = await createMemoryFixture(governed)
    await memoryFixture.store('coral medlar-deny medlar-broken')
    const { response, upstreamRequests } = await chat(memoryFixture, `coral ${mark}`)
    expectSuccess(response)
    expect(upstreamRequests()[0]?.body.messages).toHaveLength(1)
  })
  test('redact: the provider gets the memory without the finding', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    await memoryFixture.store(`coral: write to ${MAIL} medlar-redact`)
    const { response, upstreamRequests } = await chat(memoryFixture, 'coral', { userToken: tokenOf('carol') })
    expect(expectSuccess(response).governance.decision.transforms).toEqual(['redact:pii'])
    expect(upstreamRequests()[0]?.raw).toContain('write to [EMAIL]')
  })
  test('require_approval: a memory holds the chat, and approval releases a completion with the memory', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    await memoryFixture.store('coral medlar-hold')
    const { response, completion, sentPrompt, upstreamRequests } = await chat(memoryFixture, 'coral')
    const { review_item_id } = expectError(response, 'POLICY_REVIEW_PENDING')
    expect(upstreamRequests()).toEqual([])
    await governed.decide(review_item_id, 'approve')
    expect(contentOf(await memoryFixture.chat(sentPrompt, {}, { review_item_id }))).toBe(completion)
    expect(upstreamRequests()).toHaveLength(1)
    expect(upstreamRequests()[0]?.raw).toContain('coral medlar-hold')
  })
})

describe('memory: changes by operators are visible in the next search', () => {
  test('correction: the new version is found and the old one is not', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    const id = await memoryFixture.store('The beryl is green.')
    expectSuccess(await governed.admin('PATCH', `/memories/${id}`, { json: { content: 'The beryl is blue.' } }))
    expect(await memoryFixture.texts('beryl')).toEqual(['The beryl is blue.'])
  })
  test('erasure: removes the memory from searches and from every table', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    const topic = word()
    const id = await memoryFixture.store(`about ${topic}`)
    expect((await governed.admin('DELETE', `/memories/${id}`)).status).toBe(204)
    expect(await memoryFixture.texts(topic)).toEqual([])
    const tables = await dumpTables(governed.server.context.database.pool)
    expect(tables.filter(({ text }) => text.includes(topic))).toEqual([])
  })
})
