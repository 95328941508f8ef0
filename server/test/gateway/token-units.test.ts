import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess, type GatewayResponse } from '../support/gateway-client.ts'
import { saysText } from '../support/scripted-anthropic.ts'
import { completion, json, word } from '../support/scripted-provider.ts'
import { CLIENT_APIS, CLIENTS, type ClientApi, VERSION } from '../support/streamed-requests.ts'
import { startThreeUpstreams } from '../support/three-upstreams.ts'

const upstreams = await closeAfterAll(startThreeUpstreams())
const { governed, anthropic } = upstreams
const token = (await governed.application()).token
const PRICES = {
  ...{ input_price: 3, output_price: 15, cache_read_price: 0.3, cache_write_price: 3.75, cache_write_1h_price: 6 },
}

/** 1,000 input tokens: 600 read, 300 written. 200 output tokens: 150 for reasoning. `script` returns the prompt that causes them. */
interface Upstream {
  readonly provider: string
  readonly model: string
  readonly script: (reported?: object) => string
  /** Writes that are kept for an hour; undefined: the API of the provider does not tell. */
  readonly hourWrites: number | undefined
  readonly cost: number
}
const UPSTREAMS: readonly Upstream[] = [
  {
    provider: 'openai',
    model: 'scripted',
    script: (reported) => {
      const key = word()
      const usage = {
        ...{ prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 1_200 },
        prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
        completion_tokens_details: { reasoning_tokens: 150 },
        ...reported,
      }
      governed.provider.on(key, (response) => json(response, 200, completion('Noted.', { usage })))
      return key
    },
    hourWrites: undefined,
    // 100 × 3 + 600 × 0.3 + 300 × 3.75 + 200 × 15 = 4,605
    cost: 0.004605,
  },
  {
    provider: 'anthropic',
    model: 'claude',
    script: (reported) => {
      const key = word()
      const usage = {
        ...{ input_tokens: 100, cache_read_input_tokens: 600, cache_creation_input_tokens: 300, output_tokens: 200 },
        cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
        output_tokens_details: { thinking_tokens: 150 },
        ...reported,
      }
      anthropic.on(key, saysText('Noted.', { usage }))
      return key
    },
    hourWrites: 100,
    // 100 × 3 + 600 × 0.3 + 200 × 3.75 + 100 × 6 + 200 × 15 = 4,830
    cost: 0.00483,
  },
]

/** The usage that a client gets. */
const USAGES: Readonly<Record<ClientApi, (hourWrites?: number) => object>> = {
  chat: () => ({
    ...{ prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 1_200 },
    prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
    completion_tokens_details: { reasoning_tokens: 150 },
  }),
  responses: () => ({
    ...{ input_tokens: 1_000, output_tokens: 200, total_tokens: 1_200 },
    input_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
    output_tokens_details: { reasoning_tokens: 150 },
  }),
  messages: (hours) => ({
    ...{ input_tokens: 100, cache_read_input_tokens: 600, cache_creation_input_tokens: 300, output_tokens: 200 },
    cache_creation: hours === undefined ? null : { ephemeral_5m_input_tokens: 300 - hours, ephemeral_1h_input_tokens: hours },
    output_tokens_details: { thinking_tokens: 150 },
  }),
}

const attemptOf = async (response: GatewayResponse) => {
  const { attempts } = await governed.recordOf(response)
  return (attempts as readonly Readonly<Record<string, unknown>>[])[0] ?? {}
}
const ask = async (model: string, prompt: string, client: ClientApi = 'chat') => {
  const { path, body } = CLIENTS[client]
  const response = await governed.api('POST', path, { token, headers: VERSION, json: { model, ...body(prompt) } })
  expectSuccess(response)
  return response
}
/** The value of the metric for the model. */
const metric = async (name: string, model: string, label: string): Promise<number> => {
  const text = await (await fetch(`${governed.base}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name}{`) && one.includes(`"${model}"`) && one.includes(label))
  return Number(line?.split(' ').at(-1) ?? 0)
}
const COUNTERS = [
  ['tokens', 'direction="prompt"', 1_000],
  ['tokens', 'direction="completion"', 200],
  ['token_parts', 'part="cache_read"', 600],
  ['token_parts', 'part="cache_write"', 300],
  ['token_parts', 'part="reasoning"', 150],
] as const
for (const { provider, model } of UPSTREAMS)
  expectSuccess(await governed.admin('PUT', `/providers/${provider}/models/${model}`, { json: PRICES }))

describe.each(UPSTREAMS)('tokens of a provider of kind $provider', ({ provider, model, script, hourWrites, cost }) => {
  test.each(CLIENT_APIS)('usage: %s client gets all units in its own form [GW-ANT-5, GW-COMP-3, GW-RESP-12]', async (client) => {
    const { body } = await ask(model, script(), client)
    expect(body.usage).toMatchObject(USAGES[client](hourWrites))
  })

  test('record: an attempt has all units and their cost [GW-AUD-9]', async () => {
    expect(await attemptOf(await ask(model, script()))).toEqual({
      ...{ provider, model, status: 200, outcome: 'ok', ms: expect.any(Number) },
      ...{ prompt_tokens: 1_000, cache_read_tokens: 600, cache_write_tokens: 300 },
      ...(hourWrites !== undefined && { cache_write_1h_tokens: hourWrites }),
      ...{ completion_tokens: 200, reasoning_tokens: 150, cost: expect.closeTo(cost, 12), price: 'operator' },
    })
  })

  test('metrics: tokens and their parts are counted', async () => {
    const read = () => Promise.all(COUNTERS.map(([name, label]) => metric(`gatehouse_provider_${name}_total`, model, label)))
    const before = await read()
    await ask(model, script())
    expect(await read()).toEqual(COUNTERS.map(([, , tokens], index) => (before[index] ?? 0) + tokens))
  })
})

test('usage: parts that exceed their whole are left out of record and messages [GW-AUD-9]', async () => {
  const [openai] = UPSTREAMS as [Upstream]
  const details = { cached_tokens: 1_001, cache_write_tokens: -5 }
  const prompt = openai.script({ prompt_tokens_details: details, completion_tokens_details: { reasoning_tokens: 'many' } })
  const response = await ask('scripted', prompt, 'messages')
  expect(response.body.usage).toEqual({
    ...{ input_tokens: 1_000, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, cache_creation: null },
    output_tokens: 200,
  })
  const attempt = await attemptOf(response)
  expect(attempt).toMatchObject({ prompt_tokens: 1_000, completion_tokens: 200, cost: expect.closeTo(0.006, 12) })
  expect(Object.keys(attempt).filter((name) => /cache|reasoning/.test(name))).toEqual([])
})

test('overview and audit verify: cached tokens are counted, and records with and without them verify', async () => {
  const { id, token: key } = await governed.application()
  for (const prompt of [word(), ...UPSTREAMS.map(({ script }) => script())])
    for (const model of ['scripted', 'claude']) expectSuccess(await governed.chat(prompt, { model }, { token: key }))
  const { totals } = expectSuccess(await governed.admin('GET', `/applications/${id}/usage`))
  // Each script answers for one model only; all other answers have 18 tokens, none of them cached.
  expect(totals).toMatchObject({ requests: 6, tokens: 2 * 1_200 + 4 * 18, cached_tokens: 2 * 600 })
  expect(expectSuccess(await governed.admin('POST', '/audit/verify', { json: {} }))).toMatchObject({ ok: true })
})
