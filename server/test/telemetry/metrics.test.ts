import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { closeAfterAll, closeAfterTest } from '../support/close-after-all.ts'
import { startServer } from '../support/server.ts'

const server = await closeAfterAll(startServer())

const OPERATIONS = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')

/** The metrics that docs/operations.md lists. */
const NAMES = [...OPERATIONS.matchAll(/^\| `((?:gatehouse|gen_ai)_[a-z_]+)` \|/gm)].map(([, name]) => name ?? '')

/** Metrics whose labels appear only with their event: a refusal, tampering, a configured destination, a run of a background job. */
const AFTER_THEIR_EVENT =
  /^gatehouse_(provider_refusals_total|audit_tampered|audit_delivery_.+|job_.+|queue_.+|budgets|otlp_exports_total)$|^gen_ai_/

test('/metrics: exports exactly the metrics of docs/operations.md, with values after a completion and a hold', async () => {
  const key = server.demo.applications[0]?.api_key ?? ''
  for (const [content, status] of [
    ['Good morning', 200],
    ['Please wire EUR 48,500 to Brightwater Supplies today.', 409],
  ] as const) {
    const response = await fetch(`${server.base}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content }] }),
    })
    expect(response.status).toBe(status)
  }
  const text = await (await fetch(`${server.base}/metrics`)).text()
  const measured = new Set(
    [...text.matchAll(/^(gatehouse_[a-z_]+?)(?:_bucket|_sum|_count)?(?:\{.*\})? /gm)].map(([, name]) => name),
  )
  const exported = [...text.matchAll(/^# TYPE ((?:gatehouse|gen_ai)_[a-z_]+) /gm)].map(([, name]) => name)
  expect(NAMES.length).toBeGreaterThan(5)
  expect(exported.toSorted()).toEqual(NAMES.toSorted())
  expect([...measured].toSorted()).toEqual(NAMES.filter((name) => !AFTER_THEIR_EVENT.test(name)).toSorted())
})

test('/metrics: 401 without the metrics token when one is set', async () => {
  const token = 'scrape-0123456789abcdef'
  const guarded = await closeAfterTest(startServer({ GATEHOUSE_METRICS_TOKEN: token }))
  const scrape = (authorization?: string) =>
    fetch(`${guarded.base}/metrics`, { ...(authorization !== undefined && { headers: { authorization } }) })
  for (const wrong of [undefined, 'Bearer ', `Bearer ${token}x`, `Bearer ${token.slice(1)}`, token, `Basic ${token}`]) {
    const response = await scrape(wrong)
    expect([wrong, response.status, response.headers.get('www-authenticate')]).toEqual([wrong, 401, 'Bearer'])
    expect(await response.text()).not.toContain('gatehouse_')
  }
  const response = await scrape(`Bearer ${token}`)
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('gatehouse_requests_total')
  expect(guarded.logs()).not.toContain(token)
  expect((await fetch(`${guarded.base}/healthz`)).status).toBe(200)
})
