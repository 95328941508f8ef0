import { expect, test } from 'vitest'
import { completion, FAULTS, failWith, respond, respondNormally, UPSTREAM_SECRET } from '../../../test/support/faulty-provider.ts'
import { invokeFixture, outcomes } from '../../../test/support/invoke-fixture.ts'
import { testProvider } from '../../../test/support/providers.ts'
import { elapsed } from '../../platform/lib/clock.ts'
import { NO_PRICES } from './prices.ts'

const { startProvider, send } = invokeFixture()

test('invoke: a disconnect of the client ends attempts and pauses', async () => {
  const hanging = await startProvider([FAULTS['hangs before headers']], { id: 'a' })
  const spare = await startProvider([respondNormally], { id: 'b' })
  const limited = await startProvider([failWith(429, { 'retry-after': '8' })], { id: 'c', timeoutMs: 20_000 })
  const startedAt = elapsed()
  const disconnectAfter = (ms: number) => ({ signal: AbortSignal.timeout(ms) })
  expect(outcomes(await send([hanging, spare], disconnectAfter(60)))).toEqual(['a aborted'])
  // The response arrives before, and the pause after it ends.
  expect(outcomes(await send([limited], disconnectAfter(1_000)))).toEqual(['c rate_limited'])
  expect(elapsed() - startedAt).toBeLessThan(8_000)
  expect(spare.requestCount()).toBe(0)
})

test('invoke: a dry run and a stub send no request', async () => {
  const real = await startProvider([respond(completion(UPSTREAM_SECRET))])
  expect(outcomes(await send([real], { dryRun: true }))).toEqual(['openai stubbed'])
  expect(real.requestCount()).toBe(0)
  const stub = { provider: testProvider({ id: 'demo', kind: 'stub', baseUrl: null }) }
  expect(await send([stub])).toMatchObject({
    ok: true,
    response: { model: 'small', object: 'chat.completion' },
    provider: { id: 'demo' },
  })
})

test('stub: a completion costs what the prices of the model say, and nothing in a dry run', async () => {
  const models = [{ id: 'small', upstreamName: null, ...NO_PRICES, inputPrice: 2, outputPrice: 10, createdAt: new Date(0) }]
  const stub = { provider: testProvider({ id: 'demo', kind: 'stub', baseUrl: null, models }) }
  const [attempt] = (await send([stub])).attempts
  const { prompt_tokens = 0, completion_tokens = 0 } = attempt ?? {}
  expect(prompt_tokens).toBeGreaterThan(0)
  expect(attempt?.cost).toBeCloseTo((prompt_tokens * 2 + completion_tokens * 10) / 1_000_000, 12)
  expect((await send([stub], { dryRun: true })).attempts[0]).not.toHaveProperty('cost')
})

test('invoke: returns PROVIDER_ERROR when there are no candidates', async () =>
  expect(await send([])).toEqual({ ok: false, code: 'PROVIDER_ERROR', fields: {}, attempts: [] }))
