import { describe, expect, test } from 'vitest'
import { assertNoContent } from '../../support/audit.ts'
import { dumpTables } from '../../support/dump-tables.ts'
import { expectSuccess } from '../../support/gateway-client.ts'
import { createMemoryFixture } from '../../support/memory-fixture.ts'
import { word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'
import { chat, MARA, NOOR, recordOf } from './retrieval-client.ts'

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
      new RegExp(
        `^--- (\\S+) memory ${id}: preference, user, \\d{4}-\\d\\d-\\d\\d\\nMy desk is by the ruby window\\.\\n--- \\1 end of memory$`,
        'm',
      ),
    )
    const record = await recordOf(memoryFixture, response)
    expect(record.memory).toEqual([{ id, score: expect.any(Number), hash: expect.any(String) }])
    assertNoContent(record as never, ['ruby window', sentPrompt])
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
