import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { adminClient } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startServer } from '../support/server.ts'
import { startSlowRequest } from '../support/slow-request.ts'
import { createMembers, unlimitedRate } from './client.ts'

const server = await closeAfterAll(startServer({}, { userRateLimiter: unlimitedRate() }))
const admin = adminClient(server)

test('revoked tokens: message is not sent when its token is revoked before the body arrives', async () => {
  const { ann, ben } = await createMembers(server, ['ann', 'ben'])
  const { id } = await ann.create('/conversations', { contact_id: ben.id })
  const slow = (message: string) =>
    startSlowRequest(
      'POST',
      `${server.base}/v1/messages`,
      { conversation_id: id, message },
      {
        authorization: `Bearer ${ann.token}`,
      },
    )
  const [first, second] = [await slow('in time'), await slow('too late')]
  expect(await first()).toBe(201)
  const { data } = await admin.get(`/users/${ann.id}/tokens`)
  // The server has read the head of the request by then.
  await sleep(300)
  await admin.post(`/access-tokens/${data[0].id}/revoke`)
  expect(await second()).toBe(401)
  const { data: messages } = await ben.get(`/messages?conversation_id=${id}`)
  expect(messages.map(({ message }: { message: string }) => message)).toEqual(['in time'])
})

test('revoked tokens: event stream ends and does not create the user again when the user is erased', async () => {
  const { id, user_token = '' } = server.demo.users.find((user) => user.user_token) ?? { id: '' }
  const response = await fetch(`${server.base}/v1/events`, {
    headers: { authorization: `Bearer ${user_token}` },
    signal: AbortSignal.timeout(20_000),
  })
  expect(response.status).toBe(200)
  const ended = response.text()
  await admin.remove(`/users/${id}`)
  await ended
  expect((await admin.send('GET', `/users/${id}`)).status).toBe(404)
})

test('revoked tokens: event stream ends when the Workspace no longer trusts the keys of its token', async () => {
  const token = server.demo.users.findLast(({ user_token }) => user_token)?.user_token ?? ''
  const response = await fetch(`${server.base}/v1/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(20_000),
  })
  expect(response.status).toBe(200)
  const startedAt = performance.now()
  const ended = response.text()
  const [workspace] = (await admin.get('/workspaces')).data
  await admin.patch(`/workspaces/${workspace.id}`, { settings: { jwks: null } })
  await ended
  // The heartbeat alone would end the stream only after 15 s.
  expect(performance.now() - startedAt).toBeLessThan(10_000)
})
