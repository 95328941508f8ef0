import { afterAll, expect, test } from 'vitest'
import { type Admin, adminClient, type Json } from '../../../../test/admin/client.ts'
import { startScriptedProvider } from '../../../../test/support/scripted-provider.ts'
import { startServer } from '../../../../test/support/server.ts'
import { makeDemoHistory } from './make-history.ts'

const DAY_MS = 86_400_000

// A new secret key: the demo is seeded by this start.
const server = await startServer({
  GATEHOUSE_SECRET_KEY: 'h'.repeat(44),
  GATEHOUSE_DEMO_HISTORY: '1',
  GATEHOUSE_ALLOW_PRIVATE_URLS: '1',
})
afterAll(() => server.close())

const count = async (): Promise<number> =>
  Number(
    (
      await server.context.db
        .selectFrom('audit_record')
        .select(({ fn }) => fn.countAll().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  )

/** Makes the history until the log has `records`, as if the server stopped then; without a number to its end. */
async function makeUntil(records = Number.POSITIVE_INFINITY): Promise<void> {
  const stopping = new AbortController()
  const { audit } = server.context
  const append: typeof audit.append = async (...parameters) => {
    if ((await count()) >= records) stopping.abort()
    return audit.append(...parameters)
  }
  const watched = {
    ...server.context,
    audit: new Proxy(audit, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target)
        if (name === 'append') return append
        return typeof value === 'function' ? value.bind(target) : value
      },
    }),
  }
  await makeDemoHistory(watched, server.config.dataDir, stopping.signal)
}

test('history: a month of requests in time order that verification accepts, complete after an interruption and made once', {
  timeout: 300_000,
}, async () => {
  const admin = adminClient(server)
  await makeUntil(200)
  const interrupted = await count()
  expect(interrupted).toBeGreaterThanOrEqual(200)
  expect(interrupted).toBeLessThan(300)

  await makeUntil()
  const complete = await count()
  expect(complete).toBeGreaterThan(840)
  await makeUntil()
  expect(await count()).toBe(complete)

  expect(server.logs()).not.toContain('UNAVAILABLE')
  const rows = await server.context.db.selectFrom('audit_record').select('created_at').orderBy('sequence').execute()
  const times = rows.map(({ created_at }) => created_at.getTime())
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(29 * DAY_MS)
  expect((await admin.post('/audit/verify', {})).ok).toBe(true)

  const from = new Date((times[0] ?? 0) - DAY_MS).toISOString()
  const { totals, holds } = await admin.get(`/overview?from=${from}&interval=1d`)
  expect(holds.count).toBeGreaterThanOrEqual(2)
  for (const verdict of ['allow', 'escalate', 'require_approval', 'deny']) expect(totals.verdicts[verdict]).toBeGreaterThan(5)
  expect(totals.cost).toBeGreaterThan(0)
  for (const state of ['released', 'denied', 'acknowledged', 'pending'])
    expect((await admin.get(`/reviews?state=${state}&limit=1`)).data, state).toHaveLength(1)
  for (const { usage, last_used_at } of (await admin.get('/applications?usage=true')).data) {
    expect(usage.requests).toBeGreaterThan(100)
    expect(times[0]).toBeLessThan(Date.parse(last_used_at))
  }
  const byKey = (await admin.get(`/usage?from=${from}&group_by=key`)).groups
  expect(byKey.map(({ label }: Json) => label)).toEqual(['demo (support)', 'demo (engineering)'])
  await expectExtras(admin)
})

/** Objects of pages without requests: budgets, one of them near its limit, a webhook, a draft that could be published, a shared view. */
async function expectExtras(admin: Admin): Promise<void> {
  const { attention } = await admin.get('/overview')
  expect(attention.map(({ kind }: Json) => kind)).toContain('budget_alert')
  expect(attention.map(({ kind }: Json) => kind)).not.toContain('budget_used_up')
  expect((await admin.get('/budgets')).data).toHaveLength(2)
  expect((await admin.get('/webhooks')).data).toMatchObject([{ enabled: false }])
  expect((await admin.get('/views?page=audit')).data).toMatchObject([{ shared: true }])
  const [draft] = (await admin.get('/policy-drafts')).data
  const { source, note } = await admin.get(`/policy-drafts/${draft.id}`)
  expect(note).not.toBe('')
  expect(await admin.post('/policy-sets/check', { source })).toMatchObject({ ok: true })
  const contents = (await admin.get('/demo')).contents as Json[]
  expect(contents.filter(({ added }) => added > 0)).toEqual([])
}

test('demo: no budget refuses a request to a provider whose models have no price', async () => {
  const upstream = await startScriptedProvider()
  const admin = adminClient(server)
  await admin.create('/providers', { id: 'own', base_url: upstream.url })
  await admin.put('/providers/own/models/unpriced-model', {})
  const { id } = await admin.create('/applications', { name: 'own' })
  const body = { model: 'unpriced-model', messages: [{ role: 'user', content: 'Good morning' }] }
  const response = await admin.send('POST', `/applications/${id}/chat`, body)
  await upstream.close()
  expect([response.status, response.body.error?.message]).toEqual([200, undefined])
})
