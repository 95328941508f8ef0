import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { completion } from '../support/scripted-provider.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient } from './client.ts'

// The shared server allows private addresses, which these providers have.
const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)

test.each<[string, RequestListener]>([
  ['unauthorized', (_, response) => response.writeHead(401).end('sk-secret is wrong')],
  ['not_found', (_, response) => response.writeHead(404).end()],
  ['status', (_, response) => response.writeHead(500).end('sk-secret broke')],
  ['not_json', (_, response) => response.end('<html>sk-secret</html>')],
  ['closed', (_, response) => response.destroy()],
])('discover: the cause is %s when the provider fails that way, and its own text is not shown', async (cause, respond) => {
  const provider = createServer(respond).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const id = `tried-${crypto.randomUUID().slice(0, 8)}`
  await admin.create('/providers', { id, base_url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1` })
  const { status, body } = await admin.send('POST', `/providers/${id}/discover`)
  expect([502, 504]).toContain(status)
  expect(body.error.details).toMatchObject({ cause })
  expect(JSON.stringify(body)).not.toContain('sk-secret')
  for (const logged of [id, cause]) expect(server.logs()).toContain(logged)
  provider.closeAllConnections()
  provider.close()
})

test('discover: a wrong key fails the test of a server that lists its models without a key, and is the health of the provider until a key works', async () => {
  let accepted = 'right'
  const provider = createServer(({ method, headers }, response) => {
    if (method === 'GET')
      return void response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: [{ id: 'm' }] }))
    if (headers.authorization !== `Bearer ${accepted}`) return void response.writeHead(401).end()
    response.setHeader('content-type', 'application/json').end(JSON.stringify(completion('H')))
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const id = `open-${crypto.randomUUID().slice(0, 8)}`
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
  await admin.create('/providers', { id, base_url, api_key: 'wrong' })
  const discover = () => admin.send('POST', `/providers/${id}/discover`)
  const health = async () => (await admin.get(`/providers/${id}`)).health

  expect((await discover()).body.error.details).toMatchObject({ cause: 'unauthorized', status: 401 })
  expect(await health()).toMatchObject({ used: true, last_error: { kind: 'key_rejected', fault: true } })
  await admin.patch(`/providers/${id}`, { api_key: 'right' })
  expect(await health()).toMatchObject({ used: false, last_error: null })
  expect((await discover()).body.call).toMatchObject({ model: 'm', outcome: 'answered' })
  expect(await health()).toMatchObject({ used: true, last_error: null })
  accepted = 'another'
  expect((await discover()).status).toBe(502)
  accepted = 'right'
  await discover()
  expect(await health()).toMatchObject({ last_error: { kind: 'key_rejected', fault: false } })
  provider.closeAllConnections()
  provider.close()
})
