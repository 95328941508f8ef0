import { createOpenAI } from '@ai-sdk/openai'
import { generateText, stepCountIs, tool } from 'ai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type ClientFixture, errorOf, startClientFixture } from '../support/client-fixture.ts'
let fixture: ClientFixture
beforeAll(async () => { fixture = await startClientFixture() })
afterAll(() => fixture.close())
test('x', async () => {
  const m = createOpenAI({ apiKey: fixture.token, baseURL: fixture.baseURL, fetch: fixture.fetch })('scripted')
  const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => `rain in ${city}` })
  console.log('MULTI', await generateText({ model: m, prompt: fixture.promptForTool('It rains.'), tools: { weather }, stopWhen: stepCountIs(3) }).then(r => r.text, e => String(e)))
  const t = performance.now()
  fixture.statuses.length = 0
  const e: any = await errorOf(generateText({ model: m, prompt: 'hi juniper-hold' }))
  console.log('HOLD', fixture.statuses, e.constructor.name, performance.now() - t)
  console.log(e.errors?.map((x: any) => x.responseHeaders['x-gatehouse-review-item']))
  expect(1).toBe(1)
})
