import { describe, expect, test } from 'vitest'
import { budgetedApplication, governedWithPrices } from '../support/budgeted-application.ts'
import { CHAT, expectError, expectSuccess } from '../support/gateway-client.ts'
import { word } from '../support/scripted-provider.ts'

/** Limits of output under the names and in the forms of all servers count for rules, budgets and directives. */
const governed = await governedWithPrices()
await governed.publish([
  { id: 'long', at: ['input'], when: 'content.text.contains("checked") && request.max_tokens > 1000', verdict: 'deny' },
  { id: 'cap', at: ['input'], when: 'content.text.contains("capped")', directives: ['max_tokens:50'] },
  { id: 'cheap', at: ['input'], when: 'content.text.contains("cheap")', directives: ['route:max_cost=0.5'] },
])
const token = (await governed.application()).token

/** Sends JSON text, because numbers are read as they are written. */
const send = (prompt: string, fields: string, key = token) =>
  governed.api('POST', CHAT, {
    raw: `{"model":"scripted","messages":[{"role":"user","content":${JSON.stringify(prompt)}}],${fields}}`,
    headers: { 'content-type': 'application/json' },
    token: key,
  })

const LIMITS: readonly (readonly [fields: string, path: string])[] = [
  ['"max_new_tokens":5000', 'max_new_tokens'],
  ['"max_new_tokens":"5000"', 'max_new_tokens'],
  ['"num_predict":"5000"', 'num_predict'],
  ['"num_predict":5000.0000000000000', 'num_predict'],
  ['"num_predict":5e3', 'num_predict'],
  ['"n_predict":5000', 'n_predict'],
  ['"max_output_tokens":5000', 'max_output_tokens'],
  ['"max_tokens_to_sample":5000', 'max_tokens_to_sample'],
  ['"Max_Tokens":5000', 'Max_Tokens'],
  ['"max_length":5000', 'max_length'],
  ['"extra_body":{"max_new_tokens":"5000"}', 'extra_body.max_new_tokens'],
  ['"extra_body":{"options":{"num_predict":5000}}', 'extra_body.options.num_predict'],
  ['"options":{"num_predict":5000}', 'options.num_predict'],
  ['"generation_config":{"maxOutputTokens":5000}', 'generation_config.maxOutputTokens'],
  ['"parameters":[{"max_new_tokens":5000}]', 'parameters[0].max_new_tokens'],
]

describe.each(LIMITS)('%s', (fields, path) => {
  test('rule: request.max_tokens has the limit [GW-CHAT-18]', async () => {
    expectError(await send('checked', `"max_tokens":5,${fields}`), 'POLICY_DENIED')
    expectSuccess(await send('checked', `"max_tokens":5,${fields.replace(/5000|5e3/, '500')}`))
  })

  test('budget: sets the limit aside [GW-BUD-3]', async () => {
    const budget = await budgetedApplication(governed, { unit: 'tokens', limit: 1_000 })
    expectError(await send(word(), `"max_tokens":5,${fields}`, budget.token), 'BUDGET_EXCEEDED')
  })

  test('directive: the provider gets no larger limit [GW-CHAT-18]', async () => {
    const key = word()
    expectSuccess(await send(`capped ${key}`, fields))
    const [call] = governed.provider.callsWith(key)
    expect(call?.raw).not.toMatch(/5000|5e3/)
    expect(call?.body.max_tokens).toBe(50)
  })

  test('request: 400 names a limit that is no count of tokens [GW-CHAT-18]', async () => {
    for (const value of ['0', '-1', '1.5', '"many"', '"5e3"', 'true', '100000000000000000000', '10000000000']) {
      const error = expectError(await send(word(), fields.replace(/"?5000(?:\.0+)?"?|5e3/, value)), 'VALIDATION_ERROR')
      expect(error).toMatchObject({ param: path, message: `${path}: must be an integer from 1 to 10000000.` })
    }
  })
})

describe.each([
  '"best_of":60',
  '"best_of":"60"',
  '"best_of":60.000000000000000',
  '"extra_body":{"best_of":60}',
  '"num_return_sequences":60',
  '"generation_config":{"candidateCount":60}',
])('%s', (fields) => {
  test('budget: sets all completions aside [GW-BUD-3]', async () => {
    const budget = await budgetedApplication(governed, { unit: 'tokens', limit: 300 })
    expectError(await send(word(), `"max_tokens":10,${fields}`, budget.token), 'BUDGET_EXCEEDED')
    expectSuccess(await send(word(), `"max_tokens":10,${fields.replace('60', '6')}`, budget.token))
  })

  test('request: 400 when the number of completions is 0', async () => {
    const { message } = expectError(await send(word(), fields.replace('60', '0')), 'VALIDATION_ERROR')
    expect(message).toContain(': must be an integer from 1')
  })

  test('route: the estimated cost is that of all completions', async () => {
    expectError(await send('cheap', `"max_tokens":10,${fields}`), 'NO_ELIGIBLE_PROVIDER')
    expectSuccess(await send('cheap', `"max_tokens":10,${fields.replace('60', '2')}`))
  })
})

test('budget: a limit that a server may ignore does not lower the amount', async () => {
  const budget = await budgetedApplication(governed, { unit: 'tokens', limit: 1_000 })
  expectError(await send(word(), '"num_predict":5', budget.token), 'BUDGET_EXCEEDED')
  expectSuccess(await send(word(), '"num_predict":5,"max_tokens":5', budget.token))
})

test.each([
  ['/v1/messages', { max_tokens: 5, messages: [{ role: 'user', content: 'checked' }] }],
  ['/v1/responses', { max_output_tokens: 5, store: false, input: 'checked' }],
])('rule: request.max_tokens has the limit in an unknown field of %s', async (path, body) => {
  const { token } = await governed.application({ settings: { unknown_fields: 'carry' } })
  const options = { token, headers: { 'anthropic-version': '2023-06-01' } }
  for (const more of [{ max_new_tokens: '5000' }, { options: { num_predict: 5_000 } }]) {
    const { status, text } = await governed.post(path, { model: 'scripted', ...body, ...more }, options)
    expect({ status, text }).toEqual({ status: 403, text: expect.stringContaining('POLICY_DENIED') })
  }
})

test('limits: words of schemas, tools and metadata are none', async () => {
  const key = word()
  const fields = [
    '"metadata":{"max_tokens":"all","n":"x"}',
    '"guided_json":{"type":"object","maxLength":5000,"properties":{"max_tokens":{"default":"x"}}}',
    '"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"default":{"max_new_tokens":-1}}}}',
    '"truncate_prompt_tokens":5000,"max_input_tokens":"5000","options":{"num_ctx":"5000"}',
  ]
  expectSuccess(await send(`checked capped ${key}`, fields.join()))
  expect(governed.provider.callsWith(key)[0]?.raw).toContain('"maxLength":5000')
})
