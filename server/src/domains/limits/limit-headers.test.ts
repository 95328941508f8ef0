import { describe, expect, test } from 'vitest'
import { admitAs, admitted, application, expectRefusal, limiterAt } from '../../../test/support/limiter.ts'

describe('headers', () => {
  test('headers: each configured limit has its policy and its state', () => {
    const { limiter } = limiterAt()
    const app = application({ tokens_per_minute: 9_000, user_requests_per_minute: 20 })
    expect(admitted(admitAs(limiter, app, 'ann', 100)).lease.headers).toEqual({
      'ratelimit-policy':
        '"requests";q=600;w=60;gatehouse-burst=60, "user";q=20;w=60, "tokens";q=9000;qu="tokens";w=60, "concurrency";q=200;qu="concurrent-requests"',
      ratelimit: '"requests";r=59;t=1, "user";r=19;t=3, "tokens";r=8900;t=1, "concurrency";r=199',
    })
  })

  test('headers: a refusal names the limit and the same retry time in headers and text', () => {
    const { limiter } = limiterAt()
    const app = application({ requests_per_minute: 20, burst: 1 })
    admitted(limiter.admit(app, 0)).lease.release()
    expect(expectRefusal(limiter.admit(app, 0))).toEqual({
      ok: false,
      limit: 'requests',
      retryAfterSeconds: 3,
      message: "The gateway's limit of 20 requests per minute (burst 1) for this Application is reached. Try again in 3 s.",
      headers: {
        'ratelimit-policy': '"requests";q=20;w=60;gatehouse-burst=1, "concurrency";q=200;qu="concurrent-requests"',
        ratelimit: '"requests";r=0;t=3, "concurrency";r=200',
        'retry-after': '3',
      },
    })
  })

  test('headers: x-should-retry is false when OpenAI clients would ignore the wait', () => {
    const { limiter } = limiterAt()
    const app = application({ requests_per_minute: 1, burst: 1, tokens_per_minute: 100 })
    admitted(limiter.admit(app, 100)).lease.release(200)
    expect(expectRefusal(limiter.admit(app, 1)).headers).toMatchObject({ 'retry-after': '61', 'x-should-retry': 'false' })
  })
})
