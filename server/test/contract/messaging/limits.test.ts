import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UserRateLimiter } from '../../../src/messaging/api/user-rate-limiter.ts'
import { type MessagingServer, startMessagingServer } from '../../support/messenger.ts'

/** With the limits that a server has, on a clock that stands still. */
let paced: MessagingServer
let now = 0
let id: string
beforeAll(async () => {
  paced = await startMessagingServer(
    { GATEHOUSE_ALLOW_PRIVATE_URLS: '0' },
    { userRateLimiter: new UserRateLimiter(undefined, () => now) },
  )
  id = await paced.direct()
  now += 60_000
})
afterAll(() => paced.close())

const allowed = (answers: readonly { readonly status: number }[]) => answers.filter(({ status }) => status < 300).length
const sends = (times: number, person = paced.ann) =>
  Promise.all(Array.from({ length: times }, () => person.send('POST', '/messages', { conversation_id: id, message: 'x' })))
const reads = (times: number, person = paced.ann) =>
  Promise.all(Array.from({ length: times }, () => person.send('GET', '/messages')))

describe('messaging rate limits [MSG-LIM-1]', () => {
  test('5 sends a second with a burst of 20, for each user', async () => {
    const answers = await sends(40)
    expect(allowed(answers)).toBe(20)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect([answer.status, answer.body.error.code]).toEqual([429, 'RATE_LIMITED'])
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      expect(answer.headers.get('ratelimit')).toBeTruthy()
      expect(answer.headers.get('ratelimit-policy')).toBeTruthy()
      expect(answer.body.error.message).toMatch(/gateway's limit/)
    }
    expect(allowed(await sends(3, paced.ben))).toBe(3)
    now += 1_000
    expect(allowed(await sends(10))).toBe(5)
    now += 60_000
    expect(await paced.texts(id)).toHaveLength(28)
  })
  test('20 reads a second, for each user; sends count apart', async () => {
    now += 60_000
    expect(allowed(await reads(50))).toBe(20)
    expect(allowed(await sends(1))).toBe(1)
    expect(allowed(await reads(2, paced.ben))).toBe(2)
    now += 1_000
    expect(allowed(await reads(50))).toBe(20)
  })
  test('requests without a token count against no user', async () => {
    now += 60_000
    const strangers = await Promise.all(
      Array.from({ length: 60 }, () => paced.ann.send('GET', '/messages', undefined, { token: null })),
    )
    expect(strangers.every(({ status }) => status === 401)).toBe(true)
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
    const reply = await paced.operator.send('POST', '/webhooks', { url })
    expect([reply.status, reply.body.error?.code]).toEqual([400, 'VALIDATION_ERROR'])
  })
})
