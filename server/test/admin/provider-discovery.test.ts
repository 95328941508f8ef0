import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, type Json } from './client.ts'

// The shared server allows private addresses, which these providers have.
const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)

/** The error of the discovery of a provider at `baseUrl`. */
async function discoveryError(baseUrl: string): Promise<Json> {
  const id = `tried-${crypto.randomUUID().slice(0, 8)}`
  await admin.create('/providers', { id, base_url: baseUrl })
  const response = await admin.send('POST', `/providers/${id}/discover`)
  expect([502, 504]).toContain(response.status)
  expect(server.logs()).toContain(id)
  expect(server.logs()).toContain(response.body.error.details.cause)
  return response.body.error
}

test.each<[string, RequestListener]>([
  ['unauthorized', (_, response) => response.writeHead(401).end('sk-secret is wrong')],
  ['not_found', (_, response) => response.writeHead(404).end()],
  ['status', (_, response) => response.writeHead(500).end('sk-secret broke')],
  ['not_json', (_, response) => response.end('<html>sk-secret</html>')],
  ['closed', (_, response) => response.destroy()],
])('discover: the cause is %s when the provider fails that way, and its own text is not shown', async (cause, respond) => {
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const error = await discoveryError(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
    expect(error.details).toMatchObject({ cause })
    expect(JSON.stringify(error)).not.toContain('sk-secret')
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('discover: the cause is refused, tls or dns when no connection is made', async () => {
  const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  expect((await discoveryError(`https://127.0.0.1:${port}/v1`)).details.cause).toBe('tls')
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  const error = await discoveryError(`http://127.0.0.1:${port}/v1`)
  expect(error.details.cause).toBe('refused')
  expect(error.message).toContain('refuses the connection')
})
