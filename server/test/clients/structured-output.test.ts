import Anthropic from '@anthropic-ai/sdk'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startClientFixture } from '../support/client-fixture.ts'
import { closeAfterAll } from '../support/close-after-all.ts'

/** Texts with a schema, with the clients of OpenAI and Anthropic from npm (`openai-responses.test.ts` has the responses API). */
const fixture = await closeAfterAll(startClientFixture())

const Event = z.object({ name: z.string(), people: z.array(z.string()) })
const EVENT = { name: 'fair', people: ['Ann', 'Bob'] }
const expectSchemaSent = (key: string) =>
  expect(fixture.sentFor(key)?.response_format).toMatchObject({
    type: 'json_schema',
    json_schema: { schema: { required: ['name', 'people'] } },
  })

test('OpenAI chat.completions.parse: the text is parsed by its schema', async () => {
  const { token: apiKey, baseURL } = fixture
  const key = fixture.promptForText(JSON.stringify(EVENT))
  const completion = await new OpenAI({ apiKey, baseURL }).chat.completions.parse({
    model: 'scripted',
    messages: [{ role: 'user', content: key }],
    response_format: zodResponseFormat(Event, 'event'),
  })
  expect(completion.choices[0]?.message.parsed).toEqual(EVENT)
  expectSchemaSent(key)
})

test('Anthropic messages.parse: the text is parsed by its schema [GW-ANT-3]', async () => {
  const { token: apiKey, governed } = fixture
  const key = fixture.promptForText(JSON.stringify(EVENT))
  const message = await new Anthropic({ apiKey, baseURL: governed.base }).messages.parse({
    model: 'scripted',
    max_tokens: 99,
    messages: [{ role: 'user', content: key }],
    output_config: { format: zodOutputFormat(Event) },
  })
  expect(message.parsed_output).toEqual(EVENT)
  expectSchemaSent(key)
})
