import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { admitted, application, expectRefusal, limiterAt } from '../../../test/support/limiter.ts'

describe('requests per minute', () => {
  test('limiter: admits at most rate plus burst in any minute, including across minute boundaries', () => {
    const { limiter, pass } = limiterAt(59_900)
    const app = application({ requests_per_minute: 600, burst: 60 })
    const admittedAt: number[] = []
    for (let ms = 0; ms < 180_000; ms += 50) {
      for (let i = 0; i < 3; i++) {
        const admission = limiter.admit(app, 0)
        if (!admission.ok) continue
        admittedAt.push(ms)
        admission.lease.release()
      }
      pass(50)
    }
    for (const [first, from] of admittedAt.entries()) {
      const within = admittedAt.slice(first).filter((at) => at <= from + 60_000)
      expect(within.length).toBeLessThanOrEqual(660)
    }
    expect(admittedAt).toHaveLength(60 + 1_799)
  })

  test('limiter: a request is admitted after it waited for Retry-After', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 100 }), (requests_per_minute, burst) => {
        const { limiter, pass } = limiterAt()
        const app = application({ requests_per_minute, burst })
        for (let i = 0; i < burst; i++) admitted(limiter.admit(app, 0)).lease.release()
        const refusal = expectRefusal(limiter.admit(app, 0))
        expect(refusal.limit).toBe('requests')
        pass(refusal.retryAfterSeconds * 1_000)
        admitted(limiter.admit(app, 0))
      }),
    )
  })

  test('limiter: a changed limit applies to the next request', () => {
    const { limiter } = limiterAt()
    for (let i = 0; i < 10; i++) admitted(limiter.admit(application(), 0))
    expect(limiter.admit(application({ requests_per_minute: 60, burst: 5 }), 0).ok).toBe(false)
    expect(limiter.admit(application({ requests_per_minute: 600, burst: 60 }), 0).ok).toBe(true)
  })
})
