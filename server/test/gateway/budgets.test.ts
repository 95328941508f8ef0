import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import {
  answers,
  breaks,
  budgetedApplication,
  COST,
  findRecord,
  governedWithPrices,
  MOST_OUTPUT,
  scriptProvider,
} from '../support/budgeted-application.ts'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import type { Governed } from '../support/governed.ts'
import { completion, json, word } from '../support/scripted-provider.ts'

const governed = await governedWithPrices()

const script = (...behaviours: Parameters<typeof scriptProvider>[1][]) => scriptProvider(governed, ...behaviours)
const budgetOf = (fields: object = {}) => budgetedApplication(governed, fields)
const recordOf = (response: Awaited<ReturnType<Governed['chat']>>) =>
  findRecord(governed, expectSuccess(response).governance.audit_id)

describe('charge', () => {
  test('budget: a request is charged what its record says [GW-BUD-5]', async () => {
    const budget = await budgetOf()
    const record = await recordOf(await budget.send())
    expect(record.charge).toEqual({ cost: COST, estimated: false, tokens: 18 })
    const nothing = { reserved: 0, overrun: 0, overruns: 0, expired: 0, reached: [] }
    const { current } = await budget.read()
    expect(current).toEqual({ ...nothing, member: budget.application, spent: COST, left: 10 - COST })
  })

  test('budget: the larger of two limits of the completion is set aside, because some providers read only one', async () => {
    const budget = await budgetOf({ limit: 0.15 })
    expectError(await budget.send({ max_completion_tokens: 1, max_tokens: 1_000 }), 'BUDGET_EXCEEDED')
    expectError(await budget.send({ max_completion_tokens: 1_000, max_tokens: 1 }), 'BUDGET_EXCEEDED')
    expectSuccess(await budget.send({ max_completion_tokens: 1, max_tokens: 1 }))
  })

  test('budget: a running request is set aside at its highest price, and the next one is refused [GW-BUD-3]', async () => {
    const budget = await budgetOf({ limit: 0.15 })
    const [key, started] = [word(), Promise.withResolvers<void>()]
    const finish = Promise.withResolvers<void>()
    governed.provider.on(key, (response) => {
      started.resolve()
      void finish.promise.then(() => json(response, 200, completion('Noted.')))
    })
    const running = budget.send({}, key)
    await started.promise
    const { current } = await budget.read()
    expect(current.reserved).toBeGreaterThan(MOST_OUTPUT)
    const refused = await budget.send()
    expect(expectError(refused, 'BUDGET_EXCEEDED').details).toEqual({ reason: 'reserved', budget: budget.name })
    expect(refused.headers.get('retry-after')).toBe('1')
    finish.resolve()
    expectSuccess(await running)
    expect((await budget.read()).current).toMatchObject({ spent: COST, reserved: 0 })
  })

  test('budget: a retry is charged once [GW-BUD-3]', async () => {
    const budget = await budgetOf()
    const key = script((response) => json(response, 500, {}), answers())
    expect((await recordOf(await budget.send({}, key))).charge).toMatchObject({ cost: COST, estimated: false })
    expect((await budget.read()).current).toMatchObject({ spent: COST, reserved: 0 })
  })

  test('budget: a response without usage is estimated from its text, and an unknown outcome is charged as reserved [GW-BUD-6]', async () => {
    const budget = await budgetOf()
    const { charge } = await recordOf(await budget.send({}, script(answers({ usage: undefined }))))
    expect(charge).toMatchObject({ estimated: true })
    expect(charge.cost).toBeGreaterThan(0)
    expect(charge.cost).toBeLessThan(MOST_OUTPUT)
    const { current: before } = await budget.read()
    expectError(await budget.send({}, script(breaks)), 'PROVIDER_ERROR')
    expect((await budget.read()).current.spent - before.spent).toBeGreaterThan(MOST_OUTPUT)
  })

  test('budget: a provider that refuses costs nothing, and neither does a dry run [GW-BUD-6]', async () => {
    const budget = await budgetOf({ limit: 0.2 })
    const refuses = script((response) => json(response, 400, { error: { message: 'no', type: 'invalid_request_error' } }))
    expectError(await budget.send({}, refuses), 'VALIDATION_ERROR')
    expectSuccess(await budget.send({ max_tokens: 1_000_000, governance: { dry_run: true } }))
    expect((await budget.read()).current).toMatchObject({ spent: 0, reserved: 0 })
  })

  test('budget: a request that uses more than was set aside is charged in full and counted [GW-BUD-5]', async () => {
    const budget = await budgetOf()
    const usage = { prompt_tokens: 11, completion_tokens: 100, total_tokens: 111 }
    expectSuccess(await budget.send({}, script(answers({ usage }))))
    expect((await budget.read()).current).toMatchObject({ spent: 1.011, reserved: 0, overruns: 1 })
  })

  test('budget: a completion that is held is charged when it is made, and not again when it is released [GW-BUD-5]', async () => {
    const budget = await budgetOf()
    const key = script(answers({}, 'sorrel-hold and more'))
    const held = expectError(await budget.send({}, key), 'POLICY_REVIEW_PENDING')
    expect((await budget.read()).current).toMatchObject({ spent: COST, reserved: 0 })
    await governed.decide(held.review_item_id, 'approve')
    expectSuccess(await budget.send({ governance: { review_item_id: held.review_item_id } }, key))
    expect((await budget.read()).current).toMatchObject({ spent: COST, reserved: 0 })
  })
})

test('budget: many requests are charged exactly, and what a slice holds beyond them returns within seconds [GW-BUD-14]', async () => {
  const budget = await budgetOf({ limit: 1_000 })
  let sent = 0
  const holdsSlice = async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => budget.send()))
    for (const response of responses) expectSuccess(response)
    sent += responses.length
    return (await budget.read()).current.reserved
  }
  // The requests of one second share a slice, on a slow machine perhaps only the next ones.
  await expect.poll(holdsSlice).toBeGreaterThan(0)
  const returned = async () => {
    await governed.server.context.budgetLedger.returnUnused()
    return (await budget.read()).current.reserved
  }
  await expect.poll(returned).toBe(0)
  const { current } = await budget.read()
  expect(current.spent).toBeCloseTo(sent * COST, 9)
  expect(current).toMatchObject({ overruns: 0, expired: 0 })
})

describe('refusal', () => {
  test('budget: 429 names the budget and the end of its window when it is used up, and the refusal is recorded [GW-BUD-4, API-ERR-16]', async () => {
    const budget = await budgetOf({ limit: 0.12 })
    expectSuccess(await budget.send())
    const response = await budget.send()
    const error = expectError(response, 'BUDGET_EXCEEDED')
    expect(error.details).toEqual({ reason: 'used_up', budget: budget.name })
    expect(error.message).toContain(budget.name)
    const { resets_at } = await budget.read()
    const seconds = (Date.parse(resets_at) - Date.now()) / 1_000
    const retryAfter = Number(response.headers.get('retry-after'))
    expect(Math.min(Math.abs(retryAfter - seconds), Math.abs(retryAfter - seconds - 86_400))).toBeLessThan(120)
    expect(await findRecord(governed, error.audit_id)).toMatchObject({ status: 429, error_code: 'BUDGET_EXCEEDED', attempts: [] })
  })

  test('budget: a request that exceeds the whole limit has no time to try again [GW-BUD-4]', async () => {
    const budget = await budgetOf({ limit: 0.05 })
    const response = await budget.send()
    expect(expectError(response, 'BUDGET_EXCEEDED').details).toEqual({ reason: 'too_large', budget: budget.name })
    expect(response.headers.get('retry-after')).toBeNull()
    expect(response.headers.get('x-should-retry')).toBe('false')
  })

  test('budget: all budgets that count a request must admit it [GW-BUD-2]', async () => {
    const budget = await budgetOf()
    const body = { name: word(), scope: 'user', application_id: budget.application, unit: 'tokens', limit: 30, period: 'month' }
    const each = expectSuccess(await governed.admin('POST', '/budgets', { json: body }), 201)
    const as = (id: string) => budget.send({ governance: { user: { id } } })
    expectSuccess(await as('alice'))
    expectSuccess(await as('bob'))
    expect(expectError(await as('alice'), 'BUDGET_EXCEEDED').details).toMatchObject({ budget: body.name })
    expect((await budget.read()).current).toMatchObject({ spent: 2 * COST, reserved: 0 })
    const { data } = expectSuccess(await governed.admin('GET', `/budgets/${each.id}/members`))
    expect(data).toMatchObject([
      { member: 'alice', spent: 18, left: 12 },
      { member: 'bob', spent: 18, left: 12 },
    ])
  })

  test('budget: a changed limit counts for the next request [GW-BUD-8]', async () => {
    const budget = await budgetOf({ limit: 0.01 })
    expectError(await budget.send(), 'BUDGET_EXCEEDED')
    await budget.change({ limit: 1 })
    expectSuccess(await budget.send())
    await budget.change({ enabled: false, limit: 0 })
    expectSuccess(await budget.send())
  })

  test('budget: a model without a price is refused by a budget of money, unless the budget ignores it [GW-BUD-7]', async () => {
    const { admin } = governed
    expectSuccess(await admin('PUT', '/providers/openai/models/unpriced', { json: { upstream_name: 'scripted' } }))
    const budget = await budgetOf()
    const refused = await budget.send({ model: 'unpriced' })
    expect(expectError(refused, 'NO_ELIGIBLE_PROVIDER').details).toEqual({ reason: 'no_price', budget: budget.name })
    await budget.change({ unpriced: 'ignore' })
    expect((await recordOf(await budget.send({ model: 'unpriced' }))).charge).toEqual({ cost: 0, estimated: false, tokens: 18 })
    const tokens = await budgetOf({ unit: 'tokens', limit: 1_000 })
    expectSuccess(await tokens.send({ model: 'unpriced' }))
  })
})

test('budget: 503 when the ledger cannot be read [GW-BUD-10]', async () => {
  const budget = await budgetOf()
  const { db } = governed.server.context
  await sql`alter function budget_reserve rename to budget_reserve_away`.execute(db)
  try {
    expectError(await budget.send(), 'UNAVAILABLE')
  } finally {
    await sql`alter function budget_reserve_away rename to budget_reserve`.execute(db)
  }
  expectSuccess(await budget.send())
})

test('policies: request.priced is false when a model that may serve the request has no price [GW-POL-24]', async () => {
  expectSuccess(await governed.admin('PUT', '/providers/openai/models/unpriced', { json: { upstream_name: 'scripted' } }))
  const { token } = await governed.application()
  await governed.publish([{ id: 'priced-only', at: ['input'], when: '!request.priced', verdict: 'deny' }])
  expectSuccess(await governed.chat(word(), { model: 'scripted' }, { token }))
  expectError(await governed.chat(word(), { model: 'unpriced' }, { token }), 'POLICY_DENIED')
})
