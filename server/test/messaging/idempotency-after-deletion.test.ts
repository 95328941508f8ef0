import { expect, test } from 'vitest'
import { type ApiResponse, adminClient, type Json } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers, fileForm } from './client.ts'

const server = await closeAfterAll(sharedServer())
const { ann, ben } = await createMembers(server, ['ann', 'ben'])

const once = () => ({ 'idempotency-key': crypto.randomUUID() })
const direct = (): Promise<Json> => ann.create('/conversations', { contact_id: ben.id })
const storedAnswers = async (text: string): Promise<number> => {
  const { rows } = await server.context.database.pool.query('select 1 from idempotency_key where position($1 in body) > 0', [
    text,
  ])
  return rows.length
}

/** Sends a request twice under one key, with a deletion in between; answers the second reply. */
async function repeated(
  send: () => Promise<ApiResponse>,
  remove: (first: Json) => Promise<unknown>,
): Promise<{ first: Json; again: ApiResponse }> {
  const { body: first, status, text } = await send()
  expect(status, text).toBeLessThan(300)
  expect((await send()).body).toEqual(first)
  await remove(first)
  return { first, again: await send() }
}

function gone({ status, body, text }: ApiResponse): void {
  expect(status, text).toBe(404)
  expect(body.error).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('Idempotency-Key') })
}

const SECRET = 'the words that were deleted'

test('idempotency key: repeated request gets 404 and sends nothing when its message was deleted', async () => {
  const { id } = await direct()
  const headers = once()
  const send = () => ann.send('POST', '/messages', { conversation_id: id, message: SECRET }, { headers })
  const { again } = await repeated(send, (message) => ann.remove(`/messages/${message.id}`))
  gone(again)
  gone(await send())
  expect(await storedAnswers(SECRET)).toBe(0)
  expect((await ben.get(`/messages?conversation_id=${id}`)).data).toEqual([])
})

test('idempotency key: repeated update gets 404 when its message was deleted', async () => {
  const { id } = await direct()
  const message = await ann.create('/messages', { conversation_id: id, message: 'x' })
  const headers = once()
  const send = () => ann.send('PUT', `/messages/${message.id}`, { message: SECRET }, { headers })
  const { again } = await repeated(send, () => ann.remove(`/messages/${message.id}`))
  gone(again)
  expect(await storedAnswers(SECRET)).toBe(0)
})

test('idempotency key: stored responses of a conversation and its messages are removed when it is deleted', async () => {
  const headers = once()
  const { first, again } = await repeated(
    () => ann.send('POST', '/conversations', { contact_id: ben.id }, { headers }),
    ({ id }) => ann.remove(`/conversations/${id}`),
  )
  gone(again)
  expect((await ann.get('/conversations?limit=100')).data.map(({ id }: Json) => id)).not.toContain(first.id)
  const { id } = await direct()
  const sending = { headers: once() }
  const said = await repeated(
    () => ben.send('POST', '/messages', { conversation_id: id, message: SECRET }, sending),
    () => ann.remove(`/conversations/${id}`),
  )
  gone(said.again)
  expect(await storedAnswers(SECRET)).toBe(0)
})

test('idempotency key: stored response of a group is removed when the group is deleted', async () => {
  const headers = once()
  const send = () => ann.send('POST', '/groups', { name: SECRET, contacts: [ben.id] }, { headers })
  const { again } = await repeated(send, ({ id }) => ann.remove(`/groups/${id}`))
  gone(again)
  expect(await storedAnswers(SECRET)).toBe(0)
})

test('idempotency key: stored responses that show a file are removed when the file is deleted', async () => {
  const headers = once()
  const upload = () => ann.send('POST', '/attachments', undefined, { raw: fileForm('text', 'private.txt'), headers })
  gone((await repeated(upload, ({ id }) => ann.remove(`/attachments/${id}`))).again)
  const file = await ann.upload('text', 'second-private.txt')
  const { id } = await direct()
  const sending = { headers: once() }
  const sent = await repeated(
    () => ann.send('POST', '/messages', { conversation_id: id, message: 'x', attachments: [file.id] }, sending),
    () => ann.remove(`/attachments/${file.id}`),
  )
  gone(sent.again)
  expect(await storedAnswers('second-private.txt')).toBe(0)
  expect((await ann.get(`/messages?conversation_id=${id}`)).data).toHaveLength(1)
})

test('idempotency key: stored response stays when a message that quotes its id is deleted', async () => {
  const { id } = await direct()
  const sending = { headers: once() }
  const send = () => ben.send('POST', '/messages', { conversation_id: id, message: 'stays' }, sending)
  const { body } = await send()
  const { id: other } = await ann.create('/messages', { conversation_id: id, message: `about ${body.id}` })
  await ann.remove(`/messages/${other}`)
  expect((await send()).body).toEqual(body)
})

test('idempotency key: stored responses that name a user are removed when the user is erased', async () => {
  const { cleo } = await createMembers(server, ['cleo'])
  const sending = { headers: once() }
  const send = () => ann.send('POST', '/groups', { name: 'With Cleo', contacts: [cleo.id] }, sending)
  expect((await send()).status).toBe(201)
  const erased = await adminClient(server).send('DELETE', `/users/${cleo.id}`)
  expect(erased.status, erased.text).toBeLessThan(300)
  expect(await storedAnswers(cleo.id)).toBe(0)
  expect((await send()).status).toBe(404)
})
