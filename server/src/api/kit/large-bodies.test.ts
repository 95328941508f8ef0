import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import fastify from 'fastify'
import { afterEach, expect, test, vi } from 'vitest'
import { LARGE_BODY, limitLargeBodies } from './large-bodies.ts'

const BYTES = 1_500_000
const app = fastify({ bodyLimit: 2 * BYTES })
afterEach(() => app.close())

test('large bodies: nothing stays counted when the client leaves before its body is read', async () => {
  limitLargeBodies(app, 1.5 * BYTES)
  let passed = 0
  app.addHook('onRequest', async ({ headers }, { raw }) => {
    if (headers['x-leaves'] === undefined) return
    await once(raw, 'close')
    passed += 1
  })
  app.post('/', { config: LARGE_BODY }, async () => 'read')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const client = connect(port, '127.0.0.1')
  client.write(
    `POST / HTTP/1.1\r\nhost: localhost\r\nx-leaves: 1\r\ncontent-type: text/plain\r\ncontent-length: ${BYTES}\r\n\r\n`,
  )
  await once(app.server, 'request')
  client.resetAndDestroy()
  await vi.waitFor(() => expect(passed).toBe(1), 20_000)
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'x'.repeat(BYTES),
  })
  expect(response.status).toBe(200)
})
