import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.close())

const OPERATIONS = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')

/** The metrics that operators are told of: `gatehouse_requests_total`, then `_verdicts_total` and so on. */
const NAMES = [...(/^\| `\/metrics` \|.*$/m.exec(OPERATIONS)?.[0] ?? '').matchAll(/`(?:gatehouse)?(_[a-z_]+)`/g)].map(
  ([, name]) => `gatehouse${name}`,
)

test('every metric of docs/operations.md has a value once there was an answer and a hold, and there are no others', async () => {
  const key = server.demo.applications[0]?.api_key ?? ''
  for (const [content, status] of [
    ['Good morning', 200],
    ['Please wire EUR 48,500 to Brightwater Supplies today.', 409],
  ] as const) {
    const answer = await fetch(`${server.base}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content }] }),
    })
    expect(answer.status).toBe(status)
  }
  const text = await (await fetch(`${server.base}/metrics`)).text()
  const measured = new Set(
    [...text.matchAll(/^(gatehouse_[a-z_]+?)(?:_bucket|_sum|_count)?(?:\{.*\})? /gm)].map(([, name]) => name),
  )
  expect(NAMES.length).toBeGreaterThan(5)
  expect([...measured].toSorted()).toEqual(NAMES.toSorted())
})
