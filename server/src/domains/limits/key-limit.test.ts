import { describe, expect, test } from 'vitest'
import { admitAs, admitted, application, expectRefusal, limiterAt } from '../../../test/support/limiter.ts'
import type { RateLimits } from '../../shared/principal.ts'
import type { LimitedApplication } from './lease.ts'

/** An Application whose caller has a key with these limits. */
const withKey = (app: LimitedApplication, limits: Partial<RateLimits>, id = 'key_1'): LimitedApplication => ({
  ...app,
  restrictions: [
    {
      of: 'key',
      id,
      owner: 'this API key',
      models: null,
      members: null,
      limits: { requests_per_minute: null, burst: 60, tokens_per_minute: null, ...limits },
    },
  ],
})

describe('limits of keys', () => {
  const app = application({ requests_per_minute: 60, burst: 10, tokens_per_minute: 1_000 })

  test('limiter: the Application and the key must both admit a request', () => {
    const { limiter, pass } = limiterAt()
    const narrow = withKey(app, { requests_per_minute: 60, burst: 2 })
    admitted(limiter.admit(narrow, 0))
    admitted(limiter.admit(narrow, 0))
    const refusal = expectRefusal(limiter.admit(narrow, 0))
    expect(refusal.message).toBe(
      "The gateway's limit of 60 requests per minute (burst 2) for this API key is reached. Try again in 1 s.",
    )
    for (let i = 0; i < 8; i++) admitted(limiter.admit(app, 0))
    const other = withKey(app, { requests_per_minute: 60, burst: 5 }, 'key_2')
    expect(expectRefusal(limiter.admit(other, 0)).message).toContain('(burst 10) for this Application')
    pass(1_000)
    admitted(limiter.admit(other, 0))
  })

  test('limiter: a request that one limit refuses is charged to none [GW-LIM-8]', () => {
    const { limiter } = limiterAt()
    const full = withKey(app, { tokens_per_minute: 100 })
    admitted(limiter.admit(full, 100))
    for (let i = 0; i < 20; i++) expectRefusal(limiter.admit(full, 1))
    for (let i = 0; i < 9; i++) admitted(limiter.admit(app, 100))
    expect(expectRefusal(limiter.admit(app, 1)).message).toContain('for this Application')
  })

  test('lease: tokens of the key are refunded and owed as those of the Application', () => {
    const { limiter } = limiterAt()
    const key = withKey(application(), { tokens_per_minute: 100 })
    admitted(limiter.admit(key, 100)).lease.release(0)
    admitted(limiter.admit(key, 50)).lease.release(100)
    expect(expectRefusal(limiter.admit(key, 10))).toMatchObject({ limit: 'tokens', retryAfterSeconds: 6 })
    expect(expectRefusal(limiter.admit(key, 101)).message).toContain('100 tokens per minute for this API key. Send a smaller')
  })

  test("lease: a refusal by the user's limit refunds the request of the key", () => {
    const { limiter } = limiterAt()
    const key = withKey(application({ user_requests_per_minute: 1 }), { requests_per_minute: 60, burst: 2 })
    expect(admitAs(limiter, key, 'ann').ok).toBe(true)
    expect(admitAs(limiter, key, 'ann').ok).toBe(false)
    expect(admitAs(limiter, key, 'ben').ok).toBe(true)
  })

  test('headers: the limit that binds, or that refuses [GW-LIM-8]', () => {
    const { limiter } = limiterAt()
    const key = withKey(app, { requests_per_minute: 30, burst: 3, tokens_per_minute: 5_000 })
    const first = admitted(limiter.admit(key, 100)).lease.headers
    expect(first['ratelimit-policy']).toBe(
      '"requests";q=30;w=60;gatehouse-burst=3, "tokens";q=1000;qu="tokens";w=60, "concurrency";q=200;qu="concurrent-requests"',
    )
    expect(first.ratelimit).toMatch(/^"requests";r=2;t=2, "tokens";r=900;t=1, "concurrency";r=199$/)
    for (let i = 0; i < 9; i++) admitted(limiter.admit(app, 0))
    const { headers } = expectRefusal(limiter.admit(key, 0))
    expect(headers['ratelimit-policy']).toContain('"requests";q=60;w=60;gatehouse-burst=10')
    expect(headers.ratelimit).toContain('"requests";r=0')
  })

  test('limiter: a changed or removed limit applies to the next request', () => {
    const { limiter } = limiterAt()
    admitted(limiter.admit(withKey(app, { requests_per_minute: 1, burst: 1 }), 0))
    expectRefusal(limiter.admit(withKey(app, { requests_per_minute: 1, burst: 1 }), 0))
    admitted(limiter.admit(withKey(app, { requests_per_minute: 60, burst: 3 }), 0))
    for (let i = 0; i < 3; i++) admitted(limiter.admit(app, 0))
  })

  test('limiter: keys that are idle again are removed from memory', () => {
    const { limiter, pass } = limiterAt()
    const many = application({ requests_per_minute: 1_000_000, burst: 100_000 })
    for (let i = 0; i < 100; i++) {
      pass(60_000)
      admitted(limiter.admit(withKey(many, { requests_per_minute: 60 }, `key_${i}`), 0)).lease.release()
    }
    expect(limiter.size.keys).toBeLessThan(10)
  })
})
