import { expect, test } from 'vitest'
import { budgetJobs } from '../../src/domains/jobs/budget-jobs.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { expectSuccess, expectError as refusedByGateway } from '../support/gateway-client.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { startReceiver } from '../support/webhook-fixture.ts'
import { adminClient, expectError, type Json } from './client.ts'

const governed = await sharedGoverned()
const admin = adminClient(governed.server)

const BODY = { scope: 'department', unit: 'tokens', limit: 1_000, period: 'week' } as const
const create = (fields: object = {}) => admin.create('/budgets', { name: word(), ...BODY, ...fields })
const expectRefused = async (fields: object, param: string, code: ErrorCode = 'VALIDATION_ERROR') =>
  expectError(await admin.send('POST', '/budgets', { name: word(), ...BODY, ...fields }), code, param)

const sendAlerts = async (times = 1) => {
  const { context } = governed.server
  const job = budgetJobs(context).find(({ name }) => name === 'send alerts of budgets')
  for (let run = 0; run < times; run++) await job?.run()
  await context.relay.run()
  await context.webhooks.run()
}

test('budgets: can be created, read, changed and deleted, and each change is recorded [ADM-API-12]', async () => {
  const created = await create({ name: 'Departments', time_zone: 'Europe/Berlin' })
  expect(created).toMatchObject({
    ...{ object: 'budget', name: 'Departments', scope: 'department', member: null, claim: null, application_id: null },
    ...{ unit: 'tokens', limit: 1_000, period: 'week', time_zone: 'Europe/Berlin' },
    ...{ alerts: [0.8, 1], unpriced: 'refuse', enabled: true },
    current: { member: '', spent: 0, reserved: 0, left: 1_000 },
  })
  expect(new Date(String(created.window_starts_at)).getTime()).toBeLessThan(new Date(String(created.resets_at)).getTime())
  const path = `/budgets/${created.id}`
  expect(await admin.get(path)).toEqual(created)
  const changed = { limit: 2_000, alerts: [0.5], name: 'Departments', current: { left: 2_000 } }
  expect(await admin.patch(path, { limit: 2_000, alerts: [0.5] })).toMatchObject(changed)
  expect((await admin.get('/budgets')).data.map(({ id }: Json) => id)).toContain(created.id)
  const changes = (await admin.get('/audit?endpoint=admin&limit=2')).data.map(({ change }: Json) => change)
  expect(changes).toMatchObject([{ action: 'budget.update', fields: ['limit', 'alerts'] }, { action: 'budget.create' }])
  await admin.remove(path)
  expectError(await admin.send('GET', path), 'NOT_FOUND')
})

test.each<[string, object, string]>([
  ['a claim without a name', { scope: 'claim' }, 'claim'],
  ['a name of a claim for another scope', { claim: 'team' }, 'claim'],
  ['an unknown time zone', { time_zone: 'Europe/Atlantis' }, 'time_zone'],
  ['an offset as time zone', { time_zone: '+02:00' }, 'time_zone'],
  ['an unknown Application', { application_id: 'app_01h455vb4pex5vsknk084sn02q' }, 'application_id'],
  ['a negative limit', { limit: -1 }, 'limit'],
  ['a fraction above 1', { alerts: [1.5] }, 'alerts[0]'],
])('budgets: refuses %s', (_, fields, param) => expectRefused(fields, param))

test('budgets: refuses a name that is taken', async () => {
  const [first, second] = [await create(), await create()]
  await expectRefused({ name: first.name }, 'name', 'CONFLICT')
  expectError(await admin.send('PATCH', `/budgets/${second.id}`, { name: first.name }), 'CONFLICT')
})

test('budgets: refuses a limit that cannot be counted when a budget is created or changed', async () => {
  const { id } = await create({ unit: 'usd', enabled: false })
  await expectRefused({ unit: 'usd', limit: 2_000_000_000 }, 'limit')
  for (const limit of [2_000_000_000, 1e12])
    expectError(await admin.send('PATCH', `/budgets/${id}`, { limit }), 'VALIDATION_ERROR', 'limit')
})

test('budgets: a webhook receives each alert once in a window [GW-BUD-9]', async () => {
  const receiver = await startReceiver()
  await admin.create('/webhooks', { url: receiver.url, types: ['budget.alert'] })
  const { id, token } = await governed.application()
  const name = word()
  const budget = { name, scope: 'application', member: id, unit: 'tokens', limit: 37, period: 'month', alerts: [0.4, 0.9, 1] }
  await admin.create('/budgets', budget)
  const send = () => governed.chat('Good morning', { model: 'scripted', max_tokens: 8 }, { token })
  for (let count = 0; count < 2; count++) expectSuccess(await send())
  for (let count = 0; count < 2; count++) refusedByGateway(await send(), 'BUDGET_EXCEEDED')
  await sendAlerts(2)
  await expect.poll(() => receiver.received.length).toBe(3)
  const payloads = receiver.received.map(({ body }) => body.payload as Record<string, unknown>)
  expect(payloads.map(({ fraction }) => fraction).toSorted()).toEqual([0.4, 0.9, 1])
  expect(payloads[0]).toMatchObject({ object: 'budget_alert', name, member: id, unit: 'tokens', limit: 37, spent: 36 })
  receiver.close()
})

test('budgets: no alert that is stored names a user after the erasure [GW-BUD-9]', async () => {
  const { pool } = governed.server.context.database
  const receiver = await startReceiver()
  receiver.answer.status = 500
  const [erased, other] = [word(), word()]
  for (const id of [erased, other]) await admin.create('/users', { id, username: id })
  const { id: application_id, token } = await governed.application()
  const each = { name: word(), scope: 'user', application_id, unit: 'tokens', limit: 90, period: 'month', alerts: [0.1, 0.3] }
  await admin.create('/budgets', each)
  const ofDepartments = { ...each, name: word(), scope: 'department' }
  await admin.create('/budgets', ofDepartments)
  const webhook = await admin.create('/webhooks', { url: receiver.url, types: ['budget.alert'] })
  const chatAs = async (id: string) => {
    // The department has the name that the user has as id.
    const user = { id, ...(id === erased && { department: erased }) }
    return expectSuccess(
      await governed.chat('Good morning', { model: 'scripted', max_tokens: 8, governance: { user } }, { token }),
    )
  }
  /** How many alerts of the budget name the member in each table: events, deliveries, e-mail, and alerts that are not sent yet. */
  const countNaming = async (member: string, budget = each.name): Promise<readonly number[]> => {
    const events = ['event_outbox', 'event_log', 'webhook_delivery', 'mail_notification'].map(
      (table) =>
        `select count(distinct payload ->> 'fraction')::int as count from ${table} where payload ->> 'member' = $1 and payload ->> 'name' = $2`,
    )
    const unsent = `select count(*)::int from budget_alert join budget on budget.id = budget_id
      where subject = $1 and name = $2 and emitted_at is null`
    const { rows } = await pool.query<{ count: number }>([...events, unsent].join(' union all '), [member, budget])
    return rows.map(({ count }) => count)
  }
  for (const id of [erased, other]) await chatAs(id)
  await sendAlerts()
  await pool.query(
    `insert into mail_notification (id, operator_id, workspace_id, sequence, topic, type, payload, created_at, due_at)
     select gen_random_uuid(), (select id from operator limit 1), workspace_id, sequence, 'budgets', type, payload, now(), now() + '1 h'
     from event_log where payload ->> 'member' = any($1)`,
    [[erased, other]],
  )
  for (const id of [erased, other]) await chatAs(id)
  for (const id of [erased, other]) expect(await countNaming(id)).toEqual([0, 1, 1, 1, 1])
  expect(await countNaming(erased, ofDepartments.name)).toEqual([0, 1, 1, 1, 1])

  await admin.remove(`/users/${erased}`)
  await sendAlerts()
  expect(await countNaming(erased)).toEqual([0, 0, 0, 0, 0])
  expect(await countNaming(other)).toEqual([0, 2, 2, 1, 0])
  expect(await countNaming(erased, ofDepartments.name)).toEqual([0, 2, 2, 1, 0])
  await pool.query("delete from mail_notification where payload ->> 'member' = any($1)", [[erased, other]])
  await admin.remove(`/webhooks/${webhook.id}`)
  receiver.close()
})

test('overview: names a budget that is near its limit or used up, until its limit is raised [ADM-API-12]', async () => {
  // Budgets of earlier tests would be named first.
  for (const earlier of (await admin.get('/budgets?limit=100')).data) await admin.remove(`/budgets/${earlier.id}`)
  const { id, token } = await governed.application()
  const body = { scope: 'application', unit: 'tokens', limit: 40, period: 'month', alerts: [0.4] }
  const [one, each] = [word(), word()]
  const budget = await admin.create('/budgets', { name: one, member: id, ...body })
  const send = async () => expectSuccess(await governed.chat('Hello', { model: 'scripted', max_tokens: 4 }, { token }))
  await send()
  const path = `/budgets/${budget.id}`
  const { current } = await admin.get(path)
  expect(current.reached).toEqual([{ fraction: 0.4, at: expect.any(String) }])
  expect(Math.abs(Date.parse(current.reached[0].at) - Date.now())).toBeLessThan(60_000)
  expect(await budgetAttention(one)).toEqual([
    { kind: 'budget_alert', text: expect.stringContaining(`${one} at 45 %`), link: expect.stringContaining('/budgets') },
  ])

  await admin.create('/budgets', { name: each, application_id: id, ...body, scope: 'user', limit: 18 })
  await send()
  await admin.patch(path, { limit: 36 })
  expect(await budgetAttention(one)).toMatchObject([{ kind: 'budget_used_up' }])
  expect(await budgetAttention(`${each} (1 member)`)).toMatchObject([{ kind: 'budget_used_up' }])

  await admin.patch(path, { limit: 1_000 })
  expect(await budgetAttention(one)).toEqual([])
})

async function budgetAttention(name: string) {
  const { attention } = await admin.get('/overview')
  return attention.filter(({ text }: Json) => text.includes(name))
}
