import { describe, expect, test, vi } from 'vitest'
import { admitAs, admitted, application, expectRefusal, limiterAt } from '../../../test/support/limiter.ts'

describe('concurrent requests', () => {
  const app = application({ concurrency: 3, burst: 1_000 })

  test('limiter: at most the limit are in flight, and each release admits one', () => {
    const { limiter } = limiterAt()
    const leases = [1, 2, 3].map(() => admitted(limiter.admit(app, 0)).lease)
    expect(expectRefusal(limiter.admit(app, 0))).toMatchObject({ limit: 'concurrency', retryAfterSeconds: 1 })
    leases[0]?.release()
    admitted(limiter.admit(app, 0))
    expect(limiter.admit(app, 0).ok).toBe(false)
  })

  test('lease: a suspended request holds no slot and queues for one before later requests', async () => {
    const { limiter } = limiterAt()
    const leases = [1, 2, 3].map(() => admitted(limiter.admit(app, 0)).lease)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const [waiting, second] = leases
    const back = waiting?.suspendWhile(() => promise)
    const { lease: third } = admitted(limiter.admit(app, 0))
    const resumed = limiter.resume(app, 0)
    resolve(true)
    await Promise.resolve()
    expect(limiter.admit(app, 0).ok).toBe(false)
    second?.release()
    const lease = await resumed
    expect(limiter.admit(app, 0).ok).toBe(false)
    third.release()
    expect(await back).toBe(true)
    expect(limiter.admit(app, 0).ok).toBe(false)
    lease?.release()
    admitted(limiter.admit(app, 0))
  })

  test('lease: takes no slot when the wait returned false', async () => {
    const { limiter } = limiterAt()
    const { lease } = admitted(limiter.admit(application({ concurrency: 1 }), 0))
    expect(await lease.suspendWhile(async () => false)).toBe(false)
    lease.release()
    admitted(limiter.admit(application({ concurrency: 1 }), 0))
    expect(limiter.admit(application({ concurrency: 1 }), 0).ok).toBe(false)
  })

  test('lease: a request that was suspended while its Application was idle shares the limit with later requests', async () => {
    const { limiter, pass } = limiterAt()
    const tight = application({ concurrency: 1 })
    const { lease } = admitted(limiter.admit(tight, 0))
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const back = lease.suspendWhile(() => promise)
    pass(3_600_000)
    // Requests of other Applications remove the idle one from memory.
    for (let i = 0; i < 3; i++) admitted(limiter.admit({ ...tight, id: `other ${i}` }, 0)).lease.release()
    const { lease: later } = admitted(limiter.admit(tight, 0))
    resolve(true)
    later.release()
    expect(await back).toBe(true)
    expect(limiter.admit(tight, 0).ok).toBe(false)
    lease.release()
    admitted(limiter.admit(tight, 0))
  })

  test('limiter: a queued request gives up after 30 s and takes no slot', async () => {
    vi.useFakeTimers()
    try {
      const { limiter } = limiterAt()
      const tight = application({ concurrency: 1 })
      const { lease } = admitted(limiter.admit(tight, 0))
      const resumed = limiter.resume(tight, 0)
      await vi.advanceTimersByTimeAsync(30_000)
      expect(await resumed).toBeUndefined()
      lease.release()
      admitted(limiter.admit(tight, 0))
    } finally {
      vi.useRealTimers()
    }
  })

  test('limiter: a higher limit admits queued requests', async () => {
    const { limiter } = limiterAt()
    const tight = application({ concurrency: 1 })
    admitted(limiter.admit(tight, 0))
    const resumed = limiter.resume(tight, 0)
    expect(limiter.admit(application({ concurrency: 2 }), 0).ok).toBe(false)
    expect(await resumed).toBeDefined()
  })

  test('limiter: a resumed request is charged only for tokens beyond its estimate', async () => {
    const { limiter } = limiterAt()
    const once = application({ burst: 1, requests_per_minute: 1, user_requests_per_minute: 1, tokens_per_minute: 1_000 })
    admitted(admitAs(limiter, once, 'ann', 300)).lease.release()
    const lease = await limiter.resume(once, 300)
    expect(lease?.chargeUser('ann')).toBeUndefined()
    lease?.release(700)
    expect(lease?.headers.ratelimit).toContain('"requests";r=0')
    expect((await limiter.resume(once, 0))?.headers.ratelimit).toContain('"tokens";r=300')
  })

  test('lease: release gives back one slot when called twice', () => {
    const { limiter } = limiterAt()
    const [first] = [1, 2, 3].map(() => admitted(limiter.admit(app, 0)).lease)
    first?.release()
    first?.release()
    admitted(limiter.admit(app, 0))
    expect(limiter.admit(app, 0).ok).toBe(false)
  })

  test('limiter: a request refused by the concurrency limit is not charged to the rate', () => {
    const { limiter } = limiterAt()
    const tight = application({ concurrency: 1, burst: 2 })
    const { lease } = admitted(limiter.admit(tight, 0))
    for (let i = 0; i < 50; i++) expectRefusal(limiter.admit(tight, 0))
    lease.release()
    admitted(limiter.admit(tight, 0))
  })
})
