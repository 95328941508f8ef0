import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { adminClient, expectError, type Json } from './client.ts'

const sum = (series: readonly Json[], read: (interval: Json) => number): number =>
  series.reduce((total, interval) => total + read(interval), 0)
const PROMPTS = { deny: 'juniper-deny', hold: 'juniper-hold', escalate: 'juniper-escalate' }

const governed = await closeAfterAll(sharedGoverned())
const admin = adminClient(governed.server)
const application = await governed.application({ default_model: 'scripted' })
const { token } = application
for (const text of ['one', 'two', 'three', PROMPTS.deny, PROMPTS.hold, PROMPTS.escalate]) await governed.chat(text, {}, { token })
await governed.chat('broken', { model: 'no-such-model' }, { token })

test('usage: counts requests, verdicts, tokens and latency by interval', async () => {
  const usage = await admin.get(`/applications/${application.id}/usage?interval=1h`)
  expect(usage).toMatchObject({
    object: 'application_usage',
    application_id: application.id,
    interval: '1h',
    totals: { requests: 7, verdicts: { allow: 4, escalate: 1, require_approval: 1, deny: 1 }, errors: 1 },
  })
  // The scripted provider reports 18 tokens for each of the four completions.
  expect(usage.totals.tokens).toBe(4 * 18)
  // The first and the last hour may be partial.
  expect(usage.series).toHaveLength(25)
  expect(sum(usage.series, ({ requests }) => requests)).toBe(7)
  expect(sum(usage.series, ({ verdicts }) => verdicts.deny)).toBe(1)
  expect(usage.series.filter(({ requests }: Json) => requests === 0)[0].latency).toEqual({ p50_ms: null, p95_ms: null })
  expect(usage.totals.latency.p95_ms).toBeGreaterThanOrEqual(usage.totals.latency.p50_ms)
  const stages = new Map(usage.stages.map((stage: Json) => [stage.name, stage]))
  expect(stages.size).toBe(12)
  expect(stages.get('invoke')).toMatchObject({ count: 4 })
  expect(stages.get('classify')).toMatchObject({ count: 7, p50_ms: expect.any(Number), p95_ms: expect.any(Number) })
})

test('overview: has totals, holds, providers, and what needs attention with the most urgent first', async () => {
  const overview = await admin.get('/overview')
  expect(overview.totals.requests).toBeGreaterThanOrEqual(7)
  expect(overview.holds).toMatchObject({ count: 1, oldest: expect.any(String), next_expiry: expect.any(String) })
  expect(overview.escalations.count).toBe(1)
  expect(overview.providers).toContainEqual({
    id: 'openai',
    enabled: true,
    health: { circuit: 'closed', active: 0, used: true, problem: null, last_error: null },
  })
  const kinds = overview.attention.map(({ kind }: Json) => kind)
  expect(kinds.slice(0, 2)).toEqual(['holds_waiting', 'escalations_waiting'])
  expect(overview.attention[0]).toEqual({
    kind: 'holds_waiting',
    text: '1 request waits for approval.',
    link: '/reviews?state=pending',
  })

  await governed.chat('juniper-brief', {}, { token: application.token })
  expect((await admin.get('/overview')).attention[0].kind).toBe('holds_expiring')
})

test('usage: limited to the given times, and 400 when the interval gives too many points', async () => {
  const past = '?from=2020-01-01T00:00:00Z&to=2020-01-01T06:00:00Z'
  const usage = await admin.get(`/applications/${application.id}/usage${past}`)
  expect(usage).toMatchObject({
    interval: '1h',
    from: '2020-01-01T00:00:00.000Z',
    totals: { requests: 0, tokens: 0, cost: null, latency: { p50_ms: null } },
    stages: [],
  })
  expect(usage.series).toHaveLength(6)
  expect(usage.series[1].at).toBe('2020-01-01T01:00:00.000Z')
  expectError(await admin.send('GET', '/overview?from=2020-01-01T00:00:00Z&interval=1m'), 'VALIDATION_ERROR', 'interval')
  expectError(await admin.send('GET', '/overview?from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z'), 'VALIDATION_ERROR', 'from')
})

test('overview: another Workspace counts only its own requests', async () => {
  const workspace = await admin.workspace()
  const overview = await admin.get('/overview', { workspace })
  expect(overview.totals.requests).toBe(0)
  expect(overview.attention).toContainEqual(expect.objectContaining({ kind: 'no_policy', link: '/policies' }))
  expectError(await admin.send('GET', `/applications/${application.id}/usage`, undefined, { workspace }), 'NOT_FOUND')
})
