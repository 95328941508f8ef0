import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { application, expectRefusal } from '../../../../test/support/limiter.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { SHARES } from '../bucket.ts'
import { Limiter } from '../limiter.ts'
import { Exchanger } from './exchanger.ts'
import { sharedCounters } from './open-counters.ts'
import type { Exchange, QuotaAnswer, QuotaStore } from './quota-store.ts'
import { RateLease } from './rate-lease.ts'
import { SlotLease } from './slot-lease.ts'

/** A store that answers `answer` and keeps the exchanges. */
function scriptedStore(answer: (exchange: Exchange) => readonly QuotaAnswer[] = grantAll) {
  const exchanges: Exchange[] = []
  const store: QuotaStore = {
    exchange: async (exchange) => {
      exchanges.push(exchange)
      return answer(exchange)
    },
  }
  return { store, exchanges }
}

const grantAll = ({ requests }: Exchange): readonly QuotaAnswer[] =>
  requests.map(({ holder, need, want, capacity }) => ({ holder, granted: need + want, used: 0, free: capacity }))
const grantNothing = ({ requests }: Exchange): readonly QuotaAnswer[] =>
  requests.map(({ holder, capacity }) => ({ holder, granted: 0, used: capacity, free: 0 }))
const fail = (): never => {
  throw new Error('lost')
}

function limiterOf(store: QuotaStore, clock = elapsed) {
  const exchanger = new Exchanger(store, clock)
  return { exchanger, limiter: new Limiter(clock, sharedCounters(exchanger)) }
}

describe('limiter with shared counters', () => {
  const app = application({ tokens_per_minute: 10_000 })

  // @MECHANISM How many exchanges the leases need.
  test('limiter: requests of one moment share one exchange, and later ones wait for none', async () => {
    const { store, exchanges } = scriptedStore()
    const { limiter, exchanger } = limiterOf(store)
    const admissions = await Promise.all(Array.from({ length: 20 }, () => limiter.admit(app, 10)))
    expect(admissions.filter(({ ok }) => ok)).toHaveLength(20)
    expect(exchanges).toHaveLength(1)
    expect(exchanges[0]?.requests).toHaveLength(3)
    expect(limiter.admit(app, 10)).not.toBeInstanceOf(Promise)
    await exchanger.close()
  })

  test('limiter: a flood of refusals asks the store once', async () => {
    const { store, exchanges } = scriptedStore(grantNothing)
    // The clock stands still, so the first answer stays fresh on a slow machine.
    const { limiter, exchanger } = limiterOf(store, () => 1_000)
    const first = await limiter.admit(app, 10)
    expect(expectRefusal(first).headers['retry-after']).toBeDefined()
    const asked = exchanges.length
    for (let i = 0; i < 1_000; i++) expectRefusal(await limiter.admit(app, 10))
    expect(exchanges).toHaveLength(asked)
    await exchanger.close()
  })

  test('limiter: rejects when the store fails, and admits again when it works', async () => {
    let isLost = true
    const { store } = scriptedStore((exchange) => (isLost ? fail() : grantAll(exchange)))
    const { limiter, exchanger } = limiterOf(store)
    await expect(limiter.admit(app, 10)).rejects.toThrow('lost')
    isLost = false
    expect((await limiter.admit(app, 10)).ok).toBe(true)
    await exchanger.close()
  })

  test('limiter: admits every request below the limit when requests come and go during slow exchanges', async () => {
    const grantNeed = ({ requests }: Exchange) =>
      requests.map(({ holder, need, capacity }) => ({ holder, granted: need, used: 0, free: capacity }))
    const { store } = scriptedStore(grantNeed)
    const slow: QuotaStore = { exchange: async (exchange) => sleep(2).then(() => store.exchange(exchange)) }
    const { limiter, exchanger } = limiterOf(slow)
    const client = async (pause: number) => {
      for (let i = 0; i < 50; i++) {
        const admission = await limiter.admit(app, 1)
        if (!admission.ok) return admission.message
        await sleep(pause)
        admission.lease.release(1)
      }
      return 'admitted'
    }
    const results = await Promise.all([0, 0, 1, 1, 2, 2, 3, 3].map(client))
    expect(results).toEqual(results.map(() => 'admitted'))
    await exchanger.close()
  })

  test('exchanger: returns all leases when it closes, and reports what was spent', async () => {
    const { store, exchanges } = scriptedStore()
    const { limiter, exchanger } = limiterOf(store)
    const admission = await limiter.admit(app, 10)
    if (admission.ok) admission.lease.release(10)
    await exchanger.close()
    const last = exchanges.at(-1)?.requests ?? []
    expect(last.map(({ keep }) => keep)).toEqual([0, 0, 0])
    expect(last.map(({ spent }) => spent).toSorted((a, b) => a - b)).toEqual([0, 60_000, 600_000])
    await expect(limiter.admit(application({}, 'app_2'), 1)).rejects.toThrow('stopping')
  })
})

describe('units that are promised to requests of the running exchange', () => {
  const exchanger = { clock: () => 0, nextHolder: () => 'holder', wake: () => {} }
  const times = { batch: 1, sentAt: 0, now: 0 }
  const answer = (granted: number): QuotaAnswer => ({ holder: 'holder', granted, used: 0, free: 1_000_000 })

  test('slot lease: a slot that becomes free is not taken by a later request when an earlier one waits for it', () => {
    const lease = new SlotLease('key', 10, exchanger, () => {})
    lease.ask(0)
    lease.request(0)
    lease.accept(answer(1), times)
    lease.take()
    lease.ask(0)
    lease.release()
    expect(lease.request(0)).toMatchObject({ need: 0, keep: 1 })
    expect(lease.hasFree(0)).toBe(false)
    lease.accept(answer(0), times)
    expect(lease.hasFree(0)).toBe(true)
  })

  test.each([true, false])(
    'rate lease: units are not taken by a later request when an earlier one waits for them (answered: %j)',
    (isAnswered) => {
      const lease = new RateLease('key', { perMinute: 60, capacity: 60 }, exchanger)
      lease.ask(2, 0)
      lease.request(0)
      lease.accept(answer(2 * SHARES), times)
      lease.ask(2, 0)
      expect(lease.request(0)).toMatchObject({ need: 0, keep: 2 * SHARES })
      expect(lease.waitMs(2, 0)).toBeGreaterThan(0)
      if (isAnswered) lease.accept(answer(0), times)
      else lease.fail(new Error('lost'), 0)
      expect(lease.waitMs(2, 0)).toBe(0)
    },
  )
})
