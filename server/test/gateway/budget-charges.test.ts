import type { ServerResponse } from 'node:http'
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
import { expectError, expectSuccess, type GatewayResponse } from '../support/gateway-client.ts'
import { completion, json, word } from '../support/scripted-provider.ts'
import { streamTextOf } from '../support/upstream-stream.ts'

const governed = await governedWithPrices()

/** A prompt of ten letters has ⌈10 / 2⌉ + 4 tokens at most. */
const MOST = MOST_OUTPUT + 0.009

const budgetOf = (fields: object = {}, application: Readonly<Record<string, unknown>> = {}) =>
  budgetedApplication(governed, fields, application)
const recordOf = (response: GatewayResponse) => findRecord(governed, expectSuccess(response).governance.audit_id)

const script = (...behaviours: Parameters<typeof scriptProvider>[1][]) => scriptProvider(governed, ...behaviours)

describe('attempts', () => {
  test('charge: each attempt with an unknown outcome is charged, and so is the one that answered [GW-BUD-6]', async () => {
    const budget = await budgetOf()
    const record = await recordOf(await budget.send({}, script(breaks, answers())))
    expect(record.attempts.map(({ outcome }) => outcome)).toEqual(['reset', 'ok'])
    expect(record.charge.estimated).toBe(true)
    expect(record.charge.cost).toBeCloseTo(MOST + COST, 6)
    expect((await budget.read()).current).toMatchObject({ spent: record.charge.cost, reserved: 0, overruns: 1 })
  })

  test('charge: a usage without counts is no usage [GW-BUD-6]', async () => {
    const budget = await budgetOf()
    for (const usage of [{}, { total_tokens: 18 }, { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }]) {
      const { charge } = await recordOf(await budget.send({}, script(answers({ usage }))))
      expect(charge.estimated).toBe(true)
      expect(charge.cost).toBeGreaterThan(0.05)
    }
    const half = await recordOf(await budget.send({}, script(answers({ usage: { prompt_tokens: 1_000, completion_tokens: 0 } }))))
    expect(half.charge.cost).toBeCloseTo(1 + 0.07, 6)
  })

  test('charge: an error after the response has begun is an unknown outcome, whatever its code says [GW-BUD-6]', async () => {
    const budget = await budgetOf()
    const [begun] = (streamTextOf(completion('Two words and more.')) ?? '').split('data: [DONE]')
    const stream = (body: string) => (response: ServerResponse) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body)
    const error = `data: ${JSON.stringify({ error: { type: 'insufficient_quota', message: 'no' } })}\n\n`
    const refused = expectError(await budget.send({ stream: true }, script(stream(error))), 'PROVIDER_ERROR')
    expect((await findRecord(governed, refused.audit_id)).charge).toEqual({ cost: 0, estimated: false, tokens: 0 })
    const broken = expectError(await budget.send({ stream: true }, script(stream(begun + error))), 'PROVIDER_ERROR')
    const record = await findRecord(governed, broken.audit_id)
    expect(record.attempts.map(({ outcome }) => outcome)).toEqual(['error_event'])
    expect(record.charge.cost).toBeCloseTo(MOST, 6)
  })

  test('charge: an outage that a stream reports before its response costs nothing, at each attempt [GW-BUD-6]', async () => {
    const budget = await budgetOf()
    const overloaded = (response: ServerResponse): void =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`data: ${JSON.stringify({ error: { code: 503, message: 'no' } })}\n\n`)
    const record = await recordOf(await budget.send({}, script(overloaded, answers())))
    expect(record.attempts.map(({ outcome }) => outcome)).toEqual(['early_error_event', 'ok'])
    expect(record.charge).toEqual({ cost: COST, estimated: false, tokens: 18 })
  })

  test('charge: a request is charged as reserved when the client leaves after the provider has got it [GW-BUD-6]', async () => {
    const budget = await budgetOf()
    const [key, left] = [word(), new AbortController()]
    governed.provider.on(key, () => left.abort())
    await expect(budget.send({}, key, { signal: left.signal })).rejects.toThrow()
    await expect.poll(async () => (await budget.read()).current.spent).toBeCloseTo(MOST, 6)
  })
})

test('charge: a long chat without usage costs no more than was set aside, which the context of its model bounds [GW-BUD-3]', async () => {
  const budget = await budgetOf({ unit: 'tokens', limit: 20_000 })
  const model = word()
  const json = { id: model, kind: 'openai', preset: 'openai', base_url: `${governed.provider.url}/v1`, api_key: 'sk-listed' }
  expectSuccess(await governed.admin('POST', '/providers', { json }), 201)
  const declared = { upstream_name: 'gpt-4' }
  expectSuccess(await governed.admin('PUT', `/providers/${model}/models/${model}`, { json: declared }))
  const key = script(answers({ usage: null }))
  // 30,000 tokens by its bytes.
  const { charge } = await recordOf(await budget.send({ model }, `${key} ${'plan '.repeat(12_000)}`))
  expect(charge).toMatchObject({ estimated: true, tokens: 8_192 + 7 })
  expect((await budget.read()).current).toMatchObject({ reserved: 0, overruns: 0 })
})

test('charge: a request whose record could not be written is not charged, so that budgets and records agree [GW-BUD-12]', async () => {
  const budget = await budgetOf()
  const { db } = governed.server.context
  const key = script((response) => json(response, 200, completion('sorrel-hold and more')))
  await sql`alter function budget_settle rename to budget_settle_away`.execute(db)
  try {
    expectError(await budget.send({}, key), 'UNAVAILABLE')
  } finally {
    await sql`alter function budget_settle_away rename to budget_settle`.execute(db)
  }
  // Its reservation ends by itself.
  expect((await budget.read()).current).toMatchObject({ spent: 0, reserved: expect.closeTo(MOST, 6) })
})

describe('tiers', () => {
  test('charge: a budget of money refuses a tier that costs more than the known price [GW-BUD-11]', async () => {
    const budget = await budgetOf()
    for (const more of [{ service_tier: 'priority' }, { service_tier: 'fast' }, { extra_body: { speed: 'fast' } }]) {
      const refused = expectError(await budget.send(more), 'NO_ELIGIBLE_PROVIDER')
      expect(refused.details).toEqual({ reason: 'no_price', budget: budget.name })
    }
    for (const service_tier of ['auto', 'default', 'flex']) {
      expect((await recordOf(await budget.send({ service_tier }))).charge).toEqual({ cost: COST, estimated: false, tokens: 18 })
    }
  })

  test('charge: such a tier is charged as reserved where a budget ignores unknown prices, and its cost is unknown [GW-BUD-11]', async () => {
    const budget = await budgetOf({ unpriced: 'ignore' })
    const record = await recordOf(await budget.send({ service_tier: 'priority' }))
    expect(record.attempts[0]).not.toHaveProperty('cost')
    expect(record.charge).toMatchObject({ estimated: true, tokens: 18 })
    expect(record.charge.cost).toBeGreaterThan(MOST_OUTPUT)
    const moved = await recordOf(await budget.send({ service_tier: 'priority' }, script(answers({ service_tier: 'default' }))))
    expect(moved.charge).toEqual({ cost: COST, estimated: false, tokens: 18 })
  })
})

describe('reservation', () => {
  const picture = { type: 'image_url', image_url: { url: 'https://pictures.example/large.png' } }
  const pdf = `data:application/pdf;base64,${Buffer.from(`%PDF-1.7 ${'\u0001'.repeat(40_000)}`).toString('base64')}`
  const file = { type: 'file', file: { filename: 'report.pdf', file_data: pdf } }
  const linked = { type: 'file', file: { file_id: 'file-abcdef' } }

  test.each<[string, object, number]>([
    ['a linked picture', picture, 6_000],
    ['the bytes of a file', file, 20_000],
    ['a linked file', linked, 100_000],
  ])('reservation: %s has a bound [GW-BUD-3]', async (_, part, tokens) => {
    const settings = { extensions: ['content_parts'] }
    const parts = [{ type: 'text', text: word() }, part]
    const send = async (limit: number) => {
      const budget = await budgetOf({ unit: 'tokens', limit }, { settings })
      const messages = [{ role: 'user', content: parts }]
      return governed.chat('', { model: 'scripted', max_tokens: 10, messages }, { token: budget.token })
    }
    expectError(await send(tokens), 'BUDGET_EXCEEDED')
    expectSuccess(await send(tokens + 400))
  })

  test('reservation: Chinese text and emoji count by their bytes [GW-BUD-3]', async () => {
    const budget = await budgetOf({ unit: 'tokens', limit: 300 })
    expectError(await budget.send({}, '预算'.repeat(100)), 'BUDGET_EXCEEDED')
    expectSuccess(await budget.send({}, 'plan'.repeat(100)))
  })
})
