import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
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
