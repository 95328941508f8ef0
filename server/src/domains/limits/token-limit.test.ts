import { describe, expect, test } from 'vitest'
import { admitted, application, expectRefusal, limiterAt } from '../../../test/support/limiter.ts'

describe('tokens per minute', () => {
  const app = application({ tokens_per_minute: 1_000, burst: 1_000, concurrency: 1_000 })

  test('lease: release refunds unused tokens and charges tokens beyond the estimate', () => {
    const { limiter, pass } = limiterAt()
    admitted(limiter.admit(app, 1_000)).lease.release(400)
    admitted(limiter.admit(app, 600)).lease.release(1_600)
    expect(expectRefusal(limiter.admit(app, 1))).toMatchObject({ limit: 'tokens', retryAfterSeconds: 61 })
    pass(61_000)
    admitted(limiter.admit(app, 1))
  })

  test('lease: the estimate stays charged when release gets no number', () => {
    const { limiter } = limiterAt()
    admitted(limiter.admit(app, 1_000)).lease.release()
    expect(limiter.admit(app, 1).ok).toBe(false)
  })

  test('limiter: a request larger than the limit is refused and asks clients not to retry', () => {
    const { limiter } = limiterAt()
    const refusal = expectRefusal(limiter.admit(app, 1_001))
    expect(refusal).toMatchObject({ limit: 'tokens', retryAfterSeconds: 60, headers: { 'x-should-retry': 'false' } })
    expect(refusal.message).toContain('larger than')
  })

  test('lease: an absurd number of tokens blocks the Application for a minute at most [GW-LIM-7]', () => {
    const { limiter, pass } = limiterAt()
    admitted(limiter.admit(app, 10)).lease.release(1_000_000_000)
    expect(limiter.admit(app, 1).ok).toBe(false)
    pass(59_999)
    expect(limiter.admit(app, 1).ok).toBe(false)
    pass(61)
    admitted(limiter.admit(app, 1))
  })

  test('limiter: a limit can be set, changed and removed while requests are in flight', () => {
    const { limiter } = limiterAt()
    const { lease } = admitted(limiter.admit(application(), 5_000))
    const second = admitted(limiter.admit(app, 900)).lease
    expect(limiter.admit(app, 200).ok).toBe(false)
    admitted(limiter.admit(application(), 5_000))
    lease.release(10)
    second.release(0)
    admitted(limiter.admit(app, 1_000))
  })
})
