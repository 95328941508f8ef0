import { expect, test } from 'vitest'
import { newId } from '../../src/platform/lib/id.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { signInOperator } from '../support/operators.ts'
import { completion, json } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { adminClient, expectError, type Json } from './client.ts'

const of = (query: string) => admin.get(`/usage?application_id=${application.id}&${query}`)

const REPORTED = {
  prompt_tokens: 100,
  completion_tokens: 40,
  total_tokens: 140,
  prompt_tokens_details: { cached_tokens: 60 },
  completion_tokens_details: { reasoning_tokens: 15 },
}

const governed = await closeAfterAll(sharedGoverned())
const admin = adminClient(governed.server)
const application = await governed.application({ default_model: 'scripted' })
const { token } = application
governed.provider.on('long thoughts', (response) => json(response, 200, completion('Done.', { usage: REPORTED })))
const send = (text: string, user: string) => governed.chat(text, { governance: { user: { id: user } } }, { token })
await send('long thoughts', 'usage-alice')
await send('long thoughts', 'usage-alice')
await send('long thoughts', 'usage-bob')
await send('juniper-deny', 'usage-bob')
await admin.create('/users', { id: 'usage-alice', username: 'Alice' })

test('usage: has the counts of all requests, their tokens by kind, and those of the time before [ADM-USE-1]', async () => {
  const usage = await of('interval=1h')
  expect(usage).toMatchObject({
    object: 'usage',
    group_by: 'none',
    currency: 'USD',
    uncounted: 0,
    totals: {
      requests: 4,
      verdicts: { allow: 3, deny: 1, escalate: 0, require_approval: 0 },
      errors: 0,
      tokens: { total: 420, input: 300, cached: 180, output: 120, reasoning: 45 },
      latency: { total: { p95_ms: expect.any(Number) }, provider: { p95_ms: expect.any(Number) } },
    },
    previous: { to: usage.from, totals: { requests: 0, latency: { total: { average_ms: null, p50_ms: null } } } },
    groups: [],
    other: null,
  })
  const { total, gateway, provider } = usage.totals.latency
  expect(gateway.average_ms).toBeLessThan(total.average_ms)
  expect(gateway.average_ms + provider.average_ms).toBeCloseTo(total.average_ms, 3)
  expect(usage.series.reduce((sum: number, point: Json) => sum + point.requests, 0)).toBe(4)
})

test('usage: groups by each dimension, with names of Applications and keys [ADM-USE-1]', async () => {
  const groupsBy = async (dimension: string): Promise<Json[]> => (await of(`group_by=${dimension}`)).groups
  expect(await groupsBy('application')).toMatchObject([
    { value: application.id, label: expect.any(String), totals: { requests: 4 } },
  ])
  expect((await groupsBy('provider')).map(({ value, totals }) => [value, totals.requests])).toEqual([
    ['openai', 3],
    ['', 1],
  ])
  expect((await groupsBy('model')).map(({ value, totals }) => [value, totals.tokens.total])).toEqual([
    ['scripted', 420],
    ['', 0],
  ])
  const [key] = await groupsBy('key')
  expect(key).toMatchObject({ value: expect.stringMatching(/^key_/), label: expect.any(String), totals: { requests: 4 } })
  expect((await of(`key_id=${key.value}`)).totals.requests).toBe(4)
  expect((await of('key_id=')).totals.requests).toBe(0)
})

test('usage: users are keyed hashes, with the ids of registered users for operators who may read users [ADM-USE-1]', async () => {
  const path = `/usage?application_id=${application.id}&group_by=user`
  const { groups } = await admin.get(path)
  const labels = groups.map(({ label }: Json) => label)
  expect(labels.toSorted()).toEqual(['usage-alice', null].toSorted())
  for (const { value } of groups) expect(value).toMatch(/^[0-9a-f]{64}$/)
  const reviewer = await signInOperator(governed.server, 'reviewer')
  const shown = await reviewer.browser.send('GET', `/admin/v1${path}`)
  expect(shown.body.groups.map(({ label }: Json) => label)).toEqual([null, null])

  const bob = await of('user=usage-bob')
  expect(bob.totals).toMatchObject({ requests: 2, verdicts: { deny: 1 } })
  const hash = groups.find(({ label }: Json) => label === null).value
  expect((await of(`user=${hash}`)).totals.requests).toBe(2)
  expect((await of('user=usage-bob&verdict=deny&group_by=model')).groups).toMatchObject([{ value: '', totals: { requests: 1 } }])
})

test('usage: sums the groups after the limit as other, and orders by what is asked', async () => {
  const usage = await of('group_by=model&limit=1&order_by=tokens')
  expect(usage.groups).toHaveLength(1)
  expect(usage.groups[0]).toMatchObject({ value: 'scripted', previous: { requests: 0 } })
  expect(usage.groups[0].series.tokens).toHaveLength(usage.series.length)
  expect(usage.other).toMatchObject({ requests: 1, tokens: { total: 0 } })
})

test('usage: CSV has a row for each group, and no cell that a spreadsheet runs as a formula [ADM-USE-2]', async () => {
  const { id } = await admin.create('/applications', { name: '=HYPERLINK("https://example.com","x")' })
  const key = await admin.create(`/applications/${id}/keys`, { name: '@SUM(A1), "quoted"' })
  await governed.chat('one', {}, { token: key.key })
  for (const [grouping, cell] of [
    ['application', `"'=HYPERLINK(""https://example.com"",""x"")"`],
    ['key', `"'@SUM(A1), ""quoted"" (=HYPERLINK(""https://example.com"",""x""))"`],
  ]) {
    const { headers, text } = await admin.send('GET', `/usage?application_id=${id}&group_by=${grouping}&format=csv`)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="usage-by-\w+-[\d-]+\.csv"$/)
    const [header, row] = text.split('\r\n')
    expect(header).toMatch(new RegExp(`^${grouping},name,requests,allowed,`))
    expect(row).toContain(cell)
  }
  const { text } = await admin.send('GET', `/usage?application_id=${id}&format=csv&interval=1h`)
  expect(text.split('\r\n')[0]).toMatch(/^start,requests,/)
  expect(text.trim().split('\r\n').length).toBeGreaterThan(24)
})

test('applications: the list has usage only for operators who may read it [ADM-USE-3]', async () => {
  const { token } = await admin.create('/tokens', { name: 'reader', scopes: ['applications:read'] })
  const list = async (query: string) => (await admin.send('GET', `/applications${query}`, undefined, { token })).status
  expect([await list(''), await list('?sort=name')]).toEqual([200, 200])
  expect([await list('?usage=true'), await list('?sort=-requests'), await list('?sort=cost')]).toEqual([403, 403, 403])
})

test('applications: the list has last use, requests and cost of 30 days, and is sorted by them [ADM-USE-3]', async () => {
  const last = await admin.create('/applications', { name: 'Zulu' })
  const unused = await admin.create('/applications', { name: 'alpha' })
  const list = async (query: string): Promise<Json[]> => (await admin.get(`/applications?limit=100&${query}`)).data
  const { totals } = await of('interval=1d')
  const items = await list('usage=true')
  expect(items.find(({ id }) => id === application.id)).toMatchObject({
    last_used_at: expect.any(String),
    usage: { requests: totals.requests, cost: totals.cost },
  })
  expect(items.find(({ id }) => id === unused.id)).toMatchObject({ last_used_at: null, usage: { requests: 0, cost: null } })
  expect(items.map(({ id }) => id)).toEqual((await list('')).map(({ id }) => id))
  expect((await list('')).some(({ usage }) => usage)).toBe(false)

  const idsBy = async (sort: string) => (await list(`sort=${sort}`)).map(({ id }) => id)
  const byName = await idsBy('name')
  expect(byName.indexOf(unused.id)).toBeLessThan(byName.indexOf(last.id))
  expect((await idsBy('-requests'))[0]).toBe(application.id)
  for (const sort of ['name', 'last_used', 'requests', 'cost'])
    expect(await idsBy(`-${sort}`)).toEqual((await idsBy(sort)).toReversed())
  const used = await list('sort=last_used')
  const neverUsed = used.findLastIndex(({ last_used_at }) => last_used_at === null)
  expect(used.slice(neverUsed + 1).every(({ last_used_at }) => last_used_at !== null)).toBe(true)
  expectError(await admin.send('GET', '/applications?sort=id'), 'VALIDATION_ERROR', 'sort')
})

test('usage: only of the own Workspace', async () => {
  const workspace = await admin.workspace()
  for (const query of ['group_by=user', `application_id=${application.id}`, 'user=usage-alice']) {
    const usage = await admin.get(`/usage?${query}`, { workspace })
    expect(usage).toMatchObject({ totals: { requests: 0 }, groups: [] })
  }
})

test('usage: 400 for times and intervals that are not counted', async () => {
  const expectInvalid = async (query: string, param: string) =>
    expectError(await admin.send('GET', `/usage?${query}`), 'VALIDATION_ERROR', param)
  await expectInvalid('from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z', 'from')
  await expectInvalid('from=2020-01-01T00:00:00Z&to=2020-01-01T02:00:00Z&interval=5m', 'interval')
  await expectInvalid('from=0001-01-01T00:00:00Z', 'from')
  await expectInvalid('from=2020-01-01T00:00:00Z&interval=1h', 'interval')
  await expectInvalid(`application_id=${newId('key')}`, 'application_id')
  await expectInvalid('group_by=body', 'group_by')
  const minutes = await admin.get(`/usage?from=${new Date(Date.now() - 3_600_000).toISOString()}`)
  expect(minutes.interval).toBe('1m')
})

test('keys: last_used_at is the time of the last request, and null for an unused key', async () => {
  const { id, token } = await governed.application({ default_model: 'scripted' })
  const other = await admin.create(`/applications/${id}/keys`, { name: 'in reserve' })
  const keys = async () => (await admin.get(`/applications/${id}/keys`)).data
  expect(other.last_used_at).toBeNull()
  expect((await keys())[0].last_used_at).toBeNull()
  const before = Date.now()
  await governed.chat('Good morning', {}, { token })
  // The time is written after the response.
  await expect.poll(async () => (await keys())[0].last_used_at).not.toBeNull()
  const [used, unused] = await keys()
  expect(Math.abs(Date.parse(used.last_used_at) - before)).toBeLessThan(60_000)
  expect(unused.last_used_at).toBeNull()
})
