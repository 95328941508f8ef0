import { expect, test } from 'vitest'
import type { ProviderAttempt } from '../shared/completion.ts'
import { chargeOf } from './charge.ts'
import { NOT_INVOKED } from './stage-results.ts'

const AT = new Date('2026-11-01T12:00:00Z')
const RESERVED = {
  inputTokens: 5,
  call: { usd: 70, tokens: 20 },
  extraction: { usd: 20, tokens: 10 },
}
const attempt = (outcome: string, more: Partial<ProviderAttempt> = {}): ProviderAttempt => ({
  ...{ provider: 'a', model: 'm', status: 0, outcome, ms: 1 },
  ...more,
})
const charge = (attempts: readonly ProviderAttempt[], extraction: readonly ProviderAttempt[] = []) =>
  chargeOf(
    {
      invoke: { ...NOT_INVOKED, attempts },
      remember: { drafts: [], decision: { verdict: 'allow' } as never, transforms: [], attempts: extraction },
    },
    RESERVED,
    AT,
  )

test.each(['unsent', 'connect', 'refused', 'rate_limited', 'status', 'busy', 'circuit_open'])(
  'charge: an attempt with the outcome %s costs nothing [GW-BUD-6]',
  (outcome) => expect(charge([attempt(outcome)])).toEqual({ usd: 0, tokens: 0, estimated: false }),
)

test.each(['aborted', 'timeout', 'reset', 'truncated', 'malformed', 'too_large', 'error_event', 'ok'])(
  'charge: each attempt with the outcome %s and without usage costs a call [GW-BUD-6]',
  (outcome) => expect(charge([attempt(outcome), attempt(outcome)])).toEqual({ usd: 140, tokens: 40, estimated: true }),
)

test('charge: attempts of the extraction cost what was set aside for it [GW-BUD-6]', () => {
  const answered = attempt('ok', { status: 200, prompt_tokens: 3, completion_tokens: 4, cost: 0.000_000_002 })
  expect(charge([answered], [attempt('timeout'), answered])).toEqual({ usd: 2 + 20 + 2, tokens: 7 + 10 + 7, estimated: true })
})

test('charge: a run that ended while the provider worked costs what was set aside [GW-BUD-6]', () => {
  expect(chargeOf({}, RESERVED, AT)).toEqual({ usd: 90, tokens: 30, estimated: true })
})
