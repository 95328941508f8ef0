import { expect, test } from 'vitest'
import { STAGES } from '../../src/pipeline/endpoints.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startOtelCollector } from '../support/otel-collector.ts'
import { startServer } from '../support/server.ts'

const collector = await closeAfterAll(startOtelCollector())
const server = await startServer(collector.environment())

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

  const spans = collector.received.map(({ body }) => body.toString('latin1')).join('')
  expect(spans).toContain(auditId)
  expect(spans).toContain('demo-mini')
  expect(spans).toContain('gen_ai.usage.input_tokens')
  expect(spans).toContain('gen_ai.usage.cache_read.input_tokens')
  const skipped = ['retrieve', 'recall', 'remember']
  for (const stage of STAGES) expect(spans.includes(stage), stage).toBe(!skipped.includes(stage))
  for (const secret of ['marmalade', key, 'Hello! I am']) expect(spans).not.toContain(secret)
})
