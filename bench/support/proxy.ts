import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { Pool } from 'undici'
import { serveHelper } from './helper-process.ts'

/** The baseline: a minimal JSON proxy in Node that parses and forwards, without governance. */
const [providerPort = ''] = process.argv.slice(2)
const pool = new Pool(`http://127.0.0.1:${providerPort}`, { connections: 64 })
const app = fastify()

app.post('/v1/chat/completions', async (request, reply) => {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { 'content-type': 'application/json', authorization: 'Bearer mock-provider-key' },
    body: JSON.stringify(request.body),
  })
  return reply.code(statusCode).send(await body.json())
})

await app.listen({ host: '127.0.0.1', port: 0 })
serveHelper((app.server.address() as AddressInfo).port)
