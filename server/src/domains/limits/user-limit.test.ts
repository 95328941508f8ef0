import { describe, expect, test } from 'vitest'
import { admitAs, admitted, application, expectRefusal, limiterAt } from '../../../test/support/limiter.ts'

describe('requests per minute for one user', () => {
  const app = application({ user_requests_per_minute: 2 })

  test('limiter: refuses a user over the limit, but neither other users nor requests without a user', () => {
    const { limiter, pass } = limiterAt()
    for (let i = 0; i < 2; i++) admitted(admitAs(limiter, app, 'ann'))
    expect(expectRefusal(admitAs(limiter, app, 'ann'))).toMatchObject({ limit: 'user', retryAfterSeconds: 30 })
    admitted(admitAs(limiter, app, 'bob'))
    admitted(limiter.admit(app, 0))
    pass(30_000)
    admitted(admitAs(limiter, app, 'ann'))
  })

  test('limiter: a request without a known user is charged to the Application', () => {
    const { limiter } = limiterAt()
    const small = application({ user_requests_per_minute: 1, burst: 1, requests_per_minute: 1 })
    admitted(limiter.admit(small, 0)).lease.release(0)
    expect(expectRefusal(admitAs(limiter, small, 'ann')).limit).toBe('requests')
  })

  test('limiter: the same user id in two Applications has two limits', () => {
    const { limiter } = limiterAt()
    const other = { ...app, id: 'app_2' }
    for (let i = 0; i < 2; i++) admitted(admitAs(limiter, app, 'ann'))
    admitted(admitAs(limiter, other, 'ann'))
  })

  test('limiter: forgets 100,000 users when they are idle', () => {
    const { limiter, pass } = limiterAt()
    const busy = application({
      requests_per_minute: 1_000_000,
      burst: 100_000,
      user_requests_per_minute: 60,
      concurrency: 10_000,
    })
    for (let i = 0; i < 100_000; i++) admitted(admitAs(limiter, busy, `user-${i}`)).lease.release()
    expect(limiter.size.users).toBe(100_000)
    pass(60_000)
    for (let i = 0; i < 60_000; i++) admitted(limiter.admit(busy, 0)).lease.release()
    expect(limiter.size.users).toBe(0)
  })

  test('limiter: refused requests leave nothing in memory', () => {
    const { limiter } = limiterAt()
    const closed = application({ burst: 1, user_requests_per_minute: 60 })
    admitted(admitAs(limiter, closed, 'ann'))
    for (let i = 0; i < 10_000; i++) expectRefusal(admitAs(limiter, closed, `user-${i}`))
    expect(limiter.size.users).toBe(1)
  })
})
