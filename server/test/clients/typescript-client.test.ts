import { expect, test } from 'vitest'
import { createGatehouse, eventsOf } from '../../../clients/typescript/src/index.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'

const server = await closeAfterAll(sharedServer())
const key = server.demo.applications[0]?.api_key ?? ''
const gatehouse = createGatehouse({ baseUrl: server.base, token: key })

test('TypeScript client: a refusal is a typed error with its status', async () => {
  const body = { messages: [{ role: 'user' as const, content: 'My key is AKIAQ3EGRWZT5HPLV2NX' }] }
  const { data, error, response } = await gatehouse.POST('/v1/chat/completions', { body })
  expect([data, response.status, error?.error.code]).toEqual([undefined, 403, 'POLICY_DENIED'])
  expect(error?.error.audit_id).toMatch(/^aud_/)
})

test('TypeScript client: calls the messaging API and reads its events', async () => {
  const admin = createGatehouse({ baseUrl: server.base, token: server.demo.admin_token, workspace: server.demo.workspace.id })
  const issued = await admin.POST('/admin/v1/users/{id}/tokens', { params: { path: { id: 'alice' } }, body: { name: 'test' } })
  const alice = createGatehouse({ baseUrl: server.base, token: issued.data?.token ?? '' })
  const { data: stream } = await alice.GET('/v1/events', { parseAs: 'stream' })
  const conversation = await alice.POST('/v1/conversations', { body: { contact_id: 'bob' } })
  const sent = { conversation_id: conversation.data?.id ?? '', message: 'Lunch at noon?' }
  const message = await alice.POST('/v1/messages', { body: sent })
  for await (const { event, data, id } of eventsOf(stream as unknown as ReadableStream<Uint8Array>)) {
    if (event !== 'message.created') continue
    expect([JSON.parse(data).id, Number(id) > 0]).toEqual([message.data?.id, true])
    break
  }
  const foreign = await gatehouse.GET('/v1/conversations/{id}', { params: { path: { id: sent.conversation_id } } })
  expect([foreign.response.status, foreign.error?.error.code]).toEqual([401, 'AUTH_INVALID_KEY'])
})

test('TypeScript client: events have several lines of data, and comments are no events', async () => {
  const chunks = ['id: 1\nevent: a\nda', 'ta: one\ndata: two\n\n: heartbeat\n\n', 'data: three\r\n\r\n']
  const stream = ReadableStream.from(chunks.map((text) => new TextEncoder().encode(text)))
  const events = await Array.fromAsync(eventsOf(stream as ReadableStream<Uint8Array>))
  expect(events).toEqual([
    { id: '1', event: 'a', data: 'one\ntwo' },
    { event: 'message', data: 'three' },
  ])
})
