import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { STAGES } from '../../src/pipeline/endpoints.ts'
import { startServer, type TestServer } from '../support/server.ts'

/** Requests that a collector on loopback has received. */
const received: string[] = []
const collector = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  received.push(Buffer.concat(chunks).toString('latin1'))
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
})
let server: TestServer

beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  const { port } = collector.address() as AddressInfo
  server = await startServer({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })
})
afterAll(() => void collector.close())

test('tracing: a request is a span with a child for each executed stage, without content, key or user [GW-AUD-3]', async () => {
  const [application] = server.demo.applications
  const key = application?.api_key ?? ''
  const update = await fetch(`${server.base}/admin/v1/applications/${application?.id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${server.demo.admin_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ settings: { knowledge: { enabled: false }, memory: { enabled: false, capture: 'off' } } }),
  })
  expect(update.status).toBe(200)
  const response = await fetch(`${server.base}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      messages: [{ role: 'user', content: 'Good morning, marmalade' }],
      governance: { user: { id: 'user-of-marmalade' } },
    }),
  })
  expect(response.status).toBe(200)
  const auditId = response.headers.get('x-audit-id') ?? ''
  await server.close()

  const spans = received.join('')
  expect(spans).toContain(auditId)
  expect(spans).toContain('demo-mini')
  expect(spans).toContain('gen_ai.usage.input_tokens')
  expect(spans).toContain('gen_ai.usage.cache_read.input_tokens')
  const skipped = ['retrieve', 'recall', 'remember']
  for (const stage of STAGES) expect(spans.includes(stage), stage).toBe(!skipped.includes(stage))
  for (const secret of ['marmalade', key, 'Hello! I am']) expect(spans).not.toContain(secret)
})
