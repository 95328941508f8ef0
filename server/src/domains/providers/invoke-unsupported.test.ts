import { describe, expect, test } from 'vitest'
import { failWith, respondNormally } from '../../../test/support/faulty-provider.ts'
import { failWithCode, invokeFixture, outcomes } from '../../../test/support/invoke-fixture.ts'

const { startProvider, send, circuits } = invokeFixture()

/** A message with a name has no equivalent in the Messages API. */
const NAMED = { messages: [{ role: 'user', name: 'ann', content: 'Good morning' }] }
const anthropic = (id: string, change = {}) => startProvider([respondNormally], { id, kind: 'anthropic', ...change })

describe('fields without an equivalent', () => {
  test('invoke: request is not sent, and the next provider gets it, also when it may be sent once only', async () => {
    const a = await anthropic('a')
    const b = await startProvider([respondNormally], { id: 'b' })
    expect(outcomes(await send([a, b], { atMostOnce: true }, NAMED))).toEqual(['a unsupported', 'b ok'])
    expect([a.requestCount(), ...circuits(a)]).toEqual([0, 'closed'])
  })

  test.each([
    ['alone', [], 'VALIDATION_ERROR'],
    ['then an outage', [failWith(503)], 'PROVIDER_ERROR'],
    ['then a wrong key', [failWith(401)], 'VALIDATION_ERROR'],
    ['then a missing model', [failWithCode(404, 'model_not_found')], 'VALIDATION_ERROR'],
    ['then a rate limit', [failWith(429, { 'retry-after': '20' })], 'RATE_LIMITED'],
  ] as const)('invoke: error names the field only when no later attempt can help: %s', async (_, others, code) => {
    const a = await anthropic('a')
    const rest = await Promise.all(others.map((behaviour) => startProvider([behaviour], { id: 'b', maxRetries: 0 })))
    const result = await send([a, ...rest], {}, NAMED)
    expect(result).toMatchObject({ ok: false, code })
    if (code === 'VALIDATION_ERROR') expect(result).toMatchObject({ fields: { param: 'messages[0].name' } })
  })

  test('invoke: a provider whose breaker is open is probed when the other one cannot express the request', async () => {
    const a = await anthropic('a')
    const b = await startProvider([...Array(5).fill(failWith(500)), respondNormally], { id: 'b', maxRetries: 0 })
    for (let i = 0; i < 5; i++) await send([b])
    expect(circuits(b)).toEqual(['open'])
    expect(outcomes(await send([a, b], {}, NAMED))).toEqual(['a unsupported', 'b circuit_open', 'b ok'])
  })

  test('invoke: the error does not name the field when a busy provider may accept it', async () => {
    const a = await anthropic('a')
    const b = await startProvider([() => {}], { id: 'b', maxConcurrency: 1, timeoutMs: 400 })
    const first = send([b])
    expect(await send([a, b], {}, NAMED)).toMatchObject({ ok: false, code: 'PROVIDER_ERROR' })
    await first
  })
})
