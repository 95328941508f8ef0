import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { type ApplicationLimits, DEFAULT_LIMITS } from '../domain/principal.ts'
import type { Admission } from './lease.ts'
import { Limiter } from './limiter.ts'

const application = (limits: Partial<ApplicationLimits> = {}, id = 'app_1') => ({ id, limits: { ...DEFAULT_LIMITS, ...limits } })

/** A limiter with a clock that the test moves. */
function limiterAt(start = 1_000) {
  let now = start
  return {
    limiter: new Limiter(() => now),
    pass: (ms: number) => {
      now += ms
    },
  }
}

function admitted(admission: Admission) {
  if (!admission.ok) throw new Error(`refused: ${admission.message}`)
  return admission
}

function refused(admission: Admission) {
  if (admission.ok) throw new Error('admitted')
  return admission
}

/** Admits a request and charges it to the user. */
function admitAs(limiter: Limiter, app: ReturnType<typeof application>, userId: string, tokens = 0): Admission {
  const admission = limiter.admit(app, tokens)
  if (!admission.ok) return admission
  const refusal = admission.lease.chargeUser(userId)
  if (refusal) admission.lease.release(0)
  return refusal ?? admission
}

describe('requests per minute', () => {
  test('limiter: admits exactly the burst when many requests arrive at once', async () => {
    const { limiter } = limiterAt()
    const app = application({ requests_per_minute: 600, burst: 60, concurrency: 10_000 })
    const answers = await Promise.all(Array.from({ length: 1_000 }, async () => limiter.admit(app, 0)))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(60)
  })

  test('limiter: admits at most rate plus burst in any minute, including across minute boundaries', () => {
    const { limiter, pass } = limiterAt(59_900)
    const app = application({ requests_per_minute: 600, burst: 60 })
    const admittedAt: number[] = []
    for (let ms = 0; ms < 180_000; ms += 50) {
      for (let i = 0; i < 3; i++) {
        const answer = limiter.admit(app, 0)
        if (!answer.ok) continue
        admittedAt.push(ms)
        answer.lease.release()
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
        const refusal = refused(limiter.admit(app, 0))
        expect(refusal.limit).toBe('requests')
        pass(refusal.retryAfterSeconds * 1_000)
        admitted(limiter.admit(app, 0))
      }),
    )
  })

  test('limiter: one Application cannot use the limit of another', () => {
    const { limiter } = limiterAt()
    for (let i = 0; i < 100; i++) limiter.admit(application({ burst: 1 }, 'app_1'), 0)
    expect(limiter.admit(application({ burst: 1 }, 'app_2'), 0).ok).toBe(true)
  })

  test('limiter: a changed limit applies to the next request', () => {
    const { limiter } = limiterAt()
    for (let i = 0; i < 10; i++) admitted(limiter.admit(application(), 0))
    expect(limiter.admit(application({ requests_per_minute: 60, burst: 5 }), 0).ok).toBe(false)
    expect(limiter.admit(application({ requests_per_minute: 600, burst: 60 }), 0).ok).toBe(true)
  })
})

describe('concurrent requests', () => {
  const app = application({ concurrency: 3, burst: 1_000 })

  test('limiter: at most the limit are in flight, and each release admits one', () => {
    const { limiter } = limiterAt()
    const leases = [1, 2, 3].map(() => admitted(limiter.admit(app, 0)).lease)
    expect(refused(limiter.admit(app, 0))).toMatchObject({ limit: 'concurrency', retryAfterSeconds: 1 })
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
    for (let i = 0; i < 50; i++) refused(limiter.admit(tight, 0))
    lease.release()
    admitted(limiter.admit(tight, 0))
  })
})

describe('requests per minute for one user', () => {
  const app = application({ user_requests_per_minute: 2 })

  test('limiter: refuses a user over the limit, but neither other users nor requests without a user', () => {
    const { limiter, pass } = limiterAt()
    for (let i = 0; i < 2; i++) admitted(admitAs(limiter, app, 'ann'))
    expect(refused(admitAs(limiter, app, 'ann'))).toMatchObject({ limit: 'user', retryAfterSeconds: 30 })
    admitted(admitAs(limiter, app, 'bob'))
    admitted(limiter.admit(app, 0))
    pass(30_000)
    admitted(admitAs(limiter, app, 'ann'))
  })

  test('limiter: a request refused by the user limit is not charged to the Application', () => {
    const { limiter } = limiterAt()
    const small = application({ user_requests_per_minute: 1, burst: 2, requests_per_minute: 1, tokens_per_minute: 100 })
    admitted(admitAs(limiter, small, 'ann', 10))
    for (let i = 0; i < 50; i++) expect(refused(admitAs(limiter, small, 'ann', 90)).limit).toBe('user')
    admitted(admitAs(limiter, small, 'bob', 90))
    expect(refused(admitAs(limiter, small, 'cleo')).limit).toBe('requests')
  })

  test('limiter: a request without a known user is charged to the Application', () => {
    const { limiter } = limiterAt()
    const small = application({ user_requests_per_minute: 1, burst: 1, requests_per_minute: 1 })
    admitted(limiter.admit(small, 0)).lease.release(0)
    expect(refused(admitAs(limiter, small, 'ann')).limit).toBe('requests')
  })

  test('limiter: admits exactly the user limit when many requests of one user arrive at once', async () => {
    const { limiter } = limiterAt()
    const app = application({ user_requests_per_minute: 5 })
    const leases = Array.from({ length: 50 }, () => admitted(limiter.admit(app, 0)).lease)
    const refusals = await Promise.all(leases.map(async (lease) => lease.chargeUser('ann')))
    expect(refusals.filter((refusal) => refusal === undefined)).toHaveLength(5)
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
    for (let i = 0; i < 10_000; i++) refused(admitAs(limiter, closed, `user-${i}`))
    expect(limiter.size.users).toBe(1)
  })
})

describe('tokens per minute', () => {
  const app = application({ tokens_per_minute: 1_000, burst: 1_000, concurrency: 1_000 })

  test('limiter: concurrent requests cannot exceed the limit together, because estimates are reserved', async () => {
    const { limiter } = limiterAt()
    const answers = await Promise.all(Array.from({ length: 50 }, async () => limiter.admit(app, 300)))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(3)
  })

  test('lease: release refunds unused tokens and charges tokens beyond the estimate', () => {
    const { limiter, pass } = limiterAt()
    admitted(limiter.admit(app, 1_000)).lease.release(400)
    admitted(limiter.admit(app, 600)).lease.release(1_600)
    expect(refused(limiter.admit(app, 1))).toMatchObject({ limit: 'tokens', retryAfterSeconds: 61 })
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
    const refusal = refused(limiter.admit(app, 1_001))
    expect(refusal).toMatchObject({ limit: 'tokens', retryAfterSeconds: 60, headers: { 'x-should-retry': 'false' } })
    expect(refusal.message).toContain('larger than')
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

describe('headers', () => {
  test('headers: an admitted request gets the policies and the remaining units', () => {
    const { limiter } = limiterAt()
    expect(admitted(limiter.admit(application(), 0)).lease.headers).toEqual({
      'ratelimit-policy': '"requests";q=600;w=60;gatehouse-burst=60, "concurrency";q=200;qu="concurrent-requests"',
      ratelimit: '"requests";r=59;t=1, "concurrency";r=199',
    })
  })

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
    expect(refused(limiter.admit(app, 0))).toEqual({
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
    expect(refused(limiter.admit(app, 1)).headers).toMatchObject({ 'retry-after': '61', 'x-should-retry': 'false' })
  })
})
