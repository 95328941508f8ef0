import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { type ApplicationLimits, DEFAULT_LIMITS } from '../domain/principal.ts'
import { type Admission, Limiter } from './limiter.ts'

const application = (limits: Partial<ApplicationLimits> = {}, id = 'app_1') => ({ id, limits: { ...DEFAULT_LIMITS, ...limits } })

/** A limiter whose clock the test moves. */
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

/** Admits a request that turns out to be this user's. */
function admitAs(limiter: Limiter, app: ReturnType<typeof application>, userId: string, tokens = 0): Admission {
  const admission = limiter.admit(app, tokens)
  if (!admission.ok) return admission
  const refusal = admission.lease.chargeUser(userId)
  if (refusal) admission.lease.release(0)
  return refusal ?? admission
}

describe('requests a minute', () => {
  test('however many arrive at once, the burst and not one more is admitted', async () => {
    const { limiter } = limiterAt()
    const app = application({ requests_per_minute: 600, burst: 60, concurrency: 10_000 })
    const answers = await Promise.all(Array.from({ length: 1_000 }, async () => limiter.admit(app, 0)))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(60)
  })

  test('over any minute no more than the rate and the burst is admitted, also across what would be a window edge', () => {
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

  test('who waits as long as Retry-After says is admitted', () => {
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

  test('one Application cannot use up the limit of another', () => {
    const { limiter } = limiterAt()
    for (let i = 0; i < 100; i++) limiter.admit(application({ burst: 1 }, 'app_1'), 0)
    expect(limiter.admit(application({ burst: 1 }, 'app_2'), 0).ok).toBe(true)
  })

  test('a changed limit is in force with the next request', () => {
    const { limiter } = limiterAt()
    for (let i = 0; i < 10; i++) admitted(limiter.admit(application(), 0))
    expect(limiter.admit(application({ requests_per_minute: 60, burst: 5 }), 0).ok).toBe(false)
    expect(limiter.admit(application({ requests_per_minute: 600, burst: 60 }), 0).ok).toBe(true)
  })
})

describe('requests at the same time', () => {
  const app = application({ concurrency: 3, burst: 1_000 })

  test('no more than the limit are in flight, and each end lets one in', () => {
    const { limiter } = limiterAt()
    const leases = [1, 2, 3].map(() => admitted(limiter.admit(app, 0)).lease)
    expect(refused(limiter.admit(app, 0))).toMatchObject({ limit: 'concurrency', retryAfterSeconds: 1 })
    leases[0]?.release()
    admitted(limiter.admit(app, 0))
    expect(limiter.admit(app, 0).ok).toBe(false)
  })

  test('who waits for something else takes no place, and stands in line for one afterwards, before those who come later', async () => {
    const { limiter } = limiterAt()
    const leases = [1, 2, 3].map(() => admitted(limiter.admit(app, 0)).lease)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const [waiting, second] = leases
    const back = waiting?.away(() => promise)
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

  test('who comes back in vain takes no place', async () => {
    const { limiter } = limiterAt()
    const { lease } = admitted(limiter.admit(application({ concurrency: 1 }), 0))
    expect(await lease.away(async () => false)).toBe(false)
    lease.release()
    admitted(limiter.admit(application({ concurrency: 1 }), 0))
    expect(limiter.admit(application({ concurrency: 1 }), 0).ok).toBe(false)
  })

  test('nobody stands in line for longer than 30 s, and who has left it takes no place', async () => {
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

  test('a raised limit lets those in who stand in line', async () => {
    const { limiter } = limiterAt()
    const tight = application({ concurrency: 1 })
    admitted(limiter.admit(tight, 0))
    const resumed = limiter.resume(tight, 0)
    expect(limiter.admit(application({ concurrency: 2 }), 0).ok).toBe(false)
    expect(await resumed).toBeDefined()
  })

  test('who goes on after a wait is charged to no rate, and to the tokens only for what goes beyond its estimate', async () => {
    const { limiter } = limiterAt()
    const once = application({ burst: 1, requests_per_minute: 1, user_requests_per_minute: 1, tokens_per_minute: 1_000 })
    admitted(admitAs(limiter, once, 'ann', 300)).lease.release()
    const lease = await limiter.resume(once, 300)
    expect(lease?.chargeUser('ann')).toBeUndefined()
    lease?.release(700)
    expect(lease?.headers.ratelimit).toContain('"requests";r=0')
    expect((await limiter.resume(once, 0))?.headers.ratelimit).toContain('"tokens";r=300')
  })

  test('releasing twice gives back one place', () => {
    const { limiter } = limiterAt()
    const [first] = [1, 2, 3].map(() => admitted(limiter.admit(app, 0)).lease)
    first?.release()
    first?.release()
    admitted(limiter.admit(app, 0))
    expect(limiter.admit(app, 0).ok).toBe(false)
  })

  test('a request that is refused for it is not charged to the rate', () => {
    const { limiter } = limiterAt()
    const tight = application({ concurrency: 1, burst: 2 })
    const { lease } = admitted(limiter.admit(tight, 0))
    for (let i = 0; i < 50; i++) refused(limiter.admit(tight, 0))
    lease.release()
    admitted(limiter.admit(tight, 0))
  })
})

describe('requests a minute for one user', () => {
  const app = application({ user_requests_per_minute: 2 })

  test('one user is held back, the next is not, and who names nobody is not either', () => {
    const { limiter, pass } = limiterAt()
    for (let i = 0; i < 2; i++) admitted(admitAs(limiter, app, 'ann'))
    expect(refused(admitAs(limiter, app, 'ann'))).toMatchObject({ limit: 'user', retryAfterSeconds: 30 })
    admitted(admitAs(limiter, app, 'bob'))
    admitted(limiter.admit(app, 0))
    pass(30_000)
    admitted(admitAs(limiter, app, 'ann'))
  })

  test('a request that is refused for it is not charged to the Application', () => {
    const { limiter } = limiterAt()
    const small = application({ user_requests_per_minute: 1, burst: 2, requests_per_minute: 1, tokens_per_minute: 100 })
    admitted(admitAs(limiter, small, 'ann', 10))
    for (let i = 0; i < 50; i++) expect(refused(admitAs(limiter, small, 'ann', 90)).limit).toBe('user')
    admitted(admitAs(limiter, small, 'bob', 90))
    expect(refused(admitAs(limiter, small, 'cleo')).limit).toBe('requests')
  })

  test('a request whose user is never known is charged to the Application', () => {
    const { limiter } = limiterAt()
    const small = application({ user_requests_per_minute: 1, burst: 1, requests_per_minute: 1 })
    admitted(limiter.admit(small, 0)).lease.release(0)
    expect(refused(admitAs(limiter, small, 'ann')).limit).toBe('requests')
  })

  test('however many requests of one user arrive at once, the limit and not one more is let in', async () => {
    const { limiter } = limiterAt()
    const app = application({ user_requests_per_minute: 5 })
    const leases = Array.from({ length: 50 }, () => admitted(limiter.admit(app, 0)).lease)
    const refusals = await Promise.all(leases.map(async (lease) => lease.chargeUser('ann')))
    expect(refusals.filter((refusal) => refusal === undefined)).toHaveLength(5)
  })

  test('the same user id in two Applications is two users', () => {
    const { limiter } = limiterAt()
    const other = { ...app, id: 'app_2' }
    for (let i = 0; i < 2; i++) admitted(admitAs(limiter, app, 'ann'))
    admitted(admitAs(limiter, other, 'ann'))
  })

  test('100,000 users are remembered while they matter and forgotten afterwards', () => {
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

  test('requests that are refused leave nothing in memory', () => {
    const { limiter } = limiterAt()
    const closed = application({ burst: 1, user_requests_per_minute: 60 })
    admitted(admitAs(limiter, closed, 'ann'))
    for (let i = 0; i < 10_000; i++) refused(admitAs(limiter, closed, `user-${i}`))
    expect(limiter.size.users).toBe(1)
  })
})

describe('tokens a minute', () => {
  const app = application({ tokens_per_minute: 1_000, burst: 1_000, concurrency: 1_000 })

  test('the estimate is reserved at once, so that requests at the same time cannot overdraw together', async () => {
    const { limiter } = limiterAt()
    const answers = await Promise.all(Array.from({ length: 50 }, async () => limiter.admit(app, 300)))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(3)
  })

  test('what was not used comes back, what was used beyond is owed', () => {
    const { limiter, pass } = limiterAt()
    admitted(limiter.admit(app, 1_000)).lease.release(400)
    admitted(limiter.admit(app, 600)).lease.release(1_600)
    expect(refused(limiter.admit(app, 1))).toMatchObject({ limit: 'tokens', retryAfterSeconds: 61 })
    pass(61_000)
    admitted(limiter.admit(app, 1))
  })

  test('without a figure the estimate stands', () => {
    const { limiter } = limiterAt()
    admitted(limiter.admit(app, 1_000)).lease.release()
    expect(limiter.admit(app, 1).ok).toBe(false)
  })

  test('a request larger than the limit is refused at any time, says so, and asks not to be repeated', () => {
    const { limiter } = limiterAt()
    const refusal = refused(limiter.admit(app, 1_001))
    expect(refusal).toMatchObject({ limit: 'tokens', retryAfterSeconds: 60, headers: { 'x-should-retry': 'false' } })
    expect(refusal.message).toContain('larger than')
  })

  test('a limit that is set, changed and taken away while requests are in flight breaks nothing', () => {
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
  test('an admitted request learns the policies and what is left', () => {
    const { limiter } = limiterAt()
    expect(admitted(limiter.admit(application(), 0)).lease.headers).toEqual({
      'ratelimit-policy': '"requests";q=600;w=60;gatehouse-burst=60, "concurrency";q=200;qu="concurrent-requests"',
      ratelimit: '"requests";r=59;t=1, "concurrency";r=199',
    })
  })

  test('every limit in force has its policy and its state', () => {
    const { limiter } = limiterAt()
    const app = application({ tokens_per_minute: 9_000, user_requests_per_minute: 20 })
    expect(admitted(admitAs(limiter, app, 'ann', 100)).lease.headers).toEqual({
      'ratelimit-policy':
        '"requests";q=600;w=60;gatehouse-burst=60, "user";q=20;w=60, "tokens";q=9000;qu="tokens";w=60, "concurrency";q=200;qu="concurrent-requests"',
      ratelimit: '"requests";r=59;t=1, "user";r=19;t=3, "tokens";r=8900;t=1, "concurrency";r=199',
    })
  })

  test('a refused one learns when to come back, the same in every header and in the text, and whose limit it is', () => {
    const { limiter } = limiterAt()
    const app = application({ requests_per_minute: 20, burst: 1 })
    admitted(limiter.admit(app, 0)).lease.release()
    expect(refused(limiter.admit(app, 0))).toEqual({
      ok: false,
      limit: 'requests',
      retryAfterSeconds: 3,
      message:
        "The gateway's limit of 20 requests a minute (at most 1 at once) for this Application is reached; try again in 3 s.",
      headers: {
        'ratelimit-policy': '"requests";q=20;w=60;gatehouse-burst=1, "concurrency";q=200;qu="concurrent-requests"',
        ratelimit: '"requests";r=0;t=3, "concurrency";r=200',
        'retry-after': '3',
      },
    })
  })

  test('a wait that OpenAI clients would ignore asks them not to retry', () => {
    const { limiter } = limiterAt()
    const app = application({ requests_per_minute: 1, burst: 1, tokens_per_minute: 100 })
    admitted(limiter.admit(app, 100)).lease.release(200)
    expect(refused(limiter.admit(app, 1)).headers).toMatchObject({ 'retry-after': '61', 'x-should-retry': 'false' })
  })
})
