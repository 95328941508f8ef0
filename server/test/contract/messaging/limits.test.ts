import { afterAll, describe, expect, test } from 'vitest'
import { UserRateLimiter } from '../../../src/domains/messaging/people/user-rate-limiter.ts'
import { startMessagingServer } from '../../support/messenger.ts'

/** A server with the default limits, on a clock that only the tests advance. */
let now = 0
const limited = await startMessagingServer(
  { GATEHOUSE_ALLOW_PRIVATE_URLS: '0' },
  { userRateLimiter: new UserRateLimiter(undefined, () => now) },
)
const id = await limited.direct()
now += 60_000
afterAll(() => limited.close())

const allowed = (responses: readonly { readonly status: number }[]) => responses.filter(({ status }) => status < 300).length
const sends = (times: number, person = limited.ann) =>
  Promise.all(Array.from({ length: times }, () => person.send('POST', '/messages', { conversation_id: id, message: 'x' })))
const reads = (times: number, person = limited.ann) =>
  Promise.all(Array.from({ length: times }, () => person.send('GET', '/messages')))

describe('messaging rate limits [MSG-LIM-1]', () => {
  test('sends: 5 per second with a burst of 20, for each user', async () => {
    const responses = await sends(40)
    expect(allowed(responses)).toBe(20)
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect([response.status, response.body.error.code]).toEqual([429, 'RATE_LIMITED'])
      expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      expect(response.headers.get('ratelimit')).toBeTruthy()
      expect(response.headers.get('ratelimit-policy')).toBeTruthy()
      expect(response.body.error.message).toMatch(/gateway's limit/)
    }
    expect(allowed(await sends(3, limited.ben))).toBe(3)
    now += 1_000
    expect(allowed(await sends(10))).toBe(5)
    now += 60_000
    expect(await limited.texts(id)).toHaveLength(28)
  })
  test('reads: 20 per second for each user, counted separately from sends', async () => {
    now += 60_000
    expect(allowed(await reads(50))).toBe(20)
    expect(allowed(await sends(1))).toBe(1)
    expect(allowed(await reads(2, limited.ben))).toBe(2)
    now += 1_000
    expect(allowed(await reads(50))).toBe(20)
  })
  test('requests without a token: count for no user', async () => {
    now += 60_000
    const anonymous = await Promise.all(
      Array.from({ length: 60 }, () => limited.ann.send('GET', '/messages', undefined, { token: null })),
    )
    expect(anonymous.every(({ status }) => status === 401)).toBe(true)
    expect(allowed(await reads(20))).toBe(20)
  })
})

describe('webhooks: SSRF protection', () => {
  test.each([
    'http://127.0.0.1:1/x',
    'http://169.254.169.254/latest',
    'http://[::1]/x',
    'http://10.0.0.1/',
    'ftp://example.org/',
    'nonsense',
  ])('webhook URL: %s is refused unless private addresses are allowed [MSG-HOOK-4, ADM-ENV-10]', async (url) => {
    const response = await limited.operator.send('POST', '/webhooks', { url })
    expect([response.status, response.body.error?.code]).toEqual([400, 'VALIDATION_ERROR'])
  })
})
