import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CITY, errorOf, startClientFixture, TEXT } from '../support/client-fixture.ts'
import { closeAfterAll } from '../support/close-after-all.ts'

/** The OpenAI Agents SDK from npm, against a real server. */
const fixture = await closeAfterAll(startClientFixture())

const weather = tool({
  name: 'weather',
  description: 'Weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `rain in ${city}`,
})
const Event = z.object({ name: z.string(), people: z.array(z.string()) })

describe.each([
  ['responses', true],
  ['chat completions', false],
])('OpenAI Agents SDK with %s', (_name, useResponses) => {
  const runner = () => {
    const { token: apiKey, baseURL, fetch } = fixture
    const openAIClient = new OpenAI({ apiKey, baseURL, fetch })
    return new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses }), tracingDisabled: true })
  }
  const agent = (more: object = {}) => new Agent({ name: 'Desk', instructions: 'Be brief.', model: 'scripted', ...more })

  test('run: returns the text and the usage', async () => {
    const key = fixture.promptForText(TEXT)
    const result = await runner().run(agent(), key)
    expect(result.finalOutput).toBe(TEXT)
    expect(result.runContext.usage).toMatchObject({ inputTokens: 11, outputTokens: 7, totalTokens: 18 })
    expect(fixture.sentFor(key)?.messages[0]).toMatchObject({ role: 'system', content: 'Be brief.' })
  })

  test('run with stream: the joined deltas equal the text', async () => {
    const result = await runner().run(agent(), fixture.promptForText(TEXT), { stream: true })
    const deltas = await Array.fromAsync(result.toTextStream())
    expect(deltas.length).toBeGreaterThan(1)
    expect(deltas.join('')).toBe(TEXT)
    await result.completed
    expect(result.finalOutput).toBe(TEXT)
  })

  test.each([false, true])('tool: is called and its result sent in the next turn with stream %s', async (stream) => {
    const key = fixture.promptForTool('It rains.')
    const withTool = agent({ tools: [weather] })
    const result = stream ? await runner().run(withTool, key, { stream: true }) : await runner().run(withTool, key)
    if ('completed' in result) await result.completed
    expect(result.finalOutput).toBe('It rains.')
    fixture.expectToolTurn(key, `rain in ${CITY}`)
    // The client sends the whole history of this run in the next one.
    await runner().run(withTool, [...result.history, { role: 'user', content: 'And tomorrow?' }])
    expect(fixture.sentFor(key)?.messages.at(-1)).toMatchObject({ role: 'user', content: 'And tomorrow?' })
    fixture.expectToolTurn(key, `rain in ${CITY}`)
  })

  test('structured output: is parsed by its schema', async () => {
    const key = fixture.promptForText('{"name":"fair","people":["Ann","Bob"]}')
    const result = await runner().run(agent({ outputType: Event }), key)
    expect(result.finalOutput).toEqual({ name: 'fair', people: ['Ann', 'Bob'] })
    expect(fixture.sentFor(key)?.response_format).toMatchObject({ type: 'json_schema' })
  })

  test.each([false, true])('denial: is PermissionDeniedError and is not retried with stream %s', async (stream) => {
    fixture.statuses.length = 0
    const send = async () =>
      stream ? (await runner().run(agent(), 'juniper-deny', { stream: true })).completed : runner().run(agent(), 'juniper-deny')
    const error = await errorOf(send())
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
    expect(error).toMatchObject({ code: 'POLICY_DENIED', message: expect.stringContaining('policy') })
    expect(fixture.statuses).toEqual([403])
  })

  test('hold: is ConflictError, is not retried, and the review item in the body releases the result', async () => {
    fixture.statuses.length = 0
    const prompt = `${fixture.promptForText(TEXT)} juniper-hold`
    const run = (governance: object = {}) => runner().run(agent({ modelSettings: { providerData: { governance } } }), prompt)
    const error = await errorOf(run())
    expect(error).toBeInstanceOf(OpenAI.ConflictError)
    expect(fixture.statuses).toEqual([409])
    const { review_item_id } = (error as { error: { review_item_id: string } }).error
    await fixture.governed.decide(review_item_id, 'approve')
    expect((await run({ review_item_id })).finalOutput).toBe(TEXT)
  })
})
