import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IdealBucket } from '../../../test/support/limits/ideal-bucket.ts'
import { Bucket } from './bucket.ts'
import type { Reservation } from './counters.ts'

/** Takes if possible; returns whether it did. */
function take(bucket: Bucket, cost: number, now: number): boolean {
  if (bucket.waitMs(cost, now) > 0) return false
  bucket.take(cost)
  return true
}

const rate = fc.record({ perMinute: fc.integer({ min: 1, max: 100_000 }), capacity: fc.integer({ min: 1, max: 500 }) })
/** Gaps between takes in milliseconds: mostly bursts, some pauses, with fractions as a real clock has them. */
const gaps = fc.array(
  fc.oneof(fc.constant(0), fc.double({ min: 0, max: 30, noNaN: true }), fc.integer({ min: 0, max: 90_000 })),
  { maxLength: 300 },
)

test('bucket: takes in any span never exceed capacity plus refill', () => {
  fc.assert(
    fc.property(rate, gaps, ({ perMinute, capacity }, gaps) => {
      const bucket = new Bucket({ perMinute, capacity }, 0)
      const takenAt: number[] = []
      let now = 0
      for (const gap of gaps) {
        now += gap
        if (take(bucket, 1, now)) takenAt.push(Math.floor(now))
      }
      for (const [first, from] of takenAt.entries()) {
        for (let last = first; last < takenAt.length; last++) {
          const span = (takenAt[last] as number) - from
          expect((last - first + 1) * 60_000).toBeLessThanOrEqual(capacity * 60_000 + perMinute * span)
        }
      }
    }),
    { numRuns: 100 },
  )
})

test('bucket: a caller that tries every millisecond gets exactly capacity plus refill', () => {
  fc.assert(
    fc.property(rate, fc.integer({ min: 0, max: 3_000 }), ({ perMinute, capacity }, duration) => {
      const bucket = new Bucket({ perMinute, capacity }, 0)
      let taken = 0
      for (let now = 0; now <= duration; now++) while (take(bucket, 1, now)) taken++
      // No refill is lost while the refill of one step fits beside the remaining fraction of a unit.
      if (perMinute <= (capacity - 1) * 60_000)
        expect(taken).toBe(Math.floor((capacity * 60_000 + perMinute * duration) / 60_000))
    }),
    { numRuns: 50 },
  )
})

test('bucket: waitMs is the shortest wait that succeeds', () => {
  fc.assert(
    fc.property(rate, gaps, fc.integer({ min: 1, max: 600 }), ({ perMinute, capacity }, gaps, cost) => {
      const bucket = new Bucket({ perMinute, capacity }, 0)
      let now = 0
      for (const gap of gaps) {
        now += gap
        take(bucket, 1, now)
      }
      now = Math.floor(now)
      const wait = bucket.waitMs(cost, now)
      if (cost > capacity) expect(wait).toBe(Number.POSITIVE_INFINITY)
      else {
        if (wait > 0) expect(bucket.waitMs(cost, now + wait - 1)).toBeGreaterThan(0)
        expect(bucket.waitMs(cost, now + wait)).toBe(0)
      }
    }),
    { numRuns: 200 },
  )
})

test('bucket: a settled reservation leaves no more units than a take of the actual cost', () => {
  const step = fc.record({
    gap: fc.integer({ min: 0, max: 2_000 }),
    estimate: fc.integer({ min: 0, max: 50 }),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
    settles: fc.nat({ max: 8 }),
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6_000 }), fc.array(step, { maxLength: 60 }), (perMinute, steps) => {
      let now = 0
      const bucket = new Bucket({ perMinute, capacity: 100 }, 0)
      const ideal = new IdealBucket(perMinute)
      const open: { reservation: Reservation; actual: number }[] = []
      for (const { gap, estimate, part, settles } of steps) {
        now += gap
        ideal.pass(gap)
        if (bucket.waitMs(estimate, now) === 0) {
          const actual = Math.floor(estimate * part)
          open.push({ reservation: bucket.reserve(estimate, () => now), actual })
          ideal.used += actual * 60_000
        }
        const [settled] = open.splice(settles, 1)
        settled?.reservation.settle(settled.actual)
        expect(bucket.left(now).units).toBeLessThanOrEqual(Math.floor((100 * 60_000 - ideal.used) / 60_000))
      }
      for (const { reservation, actual } of open.toReversed()) reservation.settle(actual)
      // After all reservations are settled, both buckets hold the same.
      expect(bucket.left(now).units).toBe(Math.floor((100 * 60_000 - ideal.used) / 60_000))
    }),
    { numRuns: 1_000 },
  )
})

test('bucket: a reservation that exceeds its estimate is charged in full, beyond the capacity', () => {
  const bucket = new Bucket({ perMinute: 60, capacity: 10 }, 0)
  bucket.reserve(4, () => 0).settle(25)
  expect(bucket.left(0)).toEqual({ units: 0, nextMs: 16_000 })
  expect(bucket.waitMs(1, 0)).toBe(16_000)
})

test('bucket: settle counts once when called twice', () => {
  const bucket = new Bucket({ perMinute: 60, capacity: 10 }, 0)
  const first = bucket.reserve(5, () => 0)
  bucket.take(5)
  first.settle(1)
  first.settle(0)
  expect(bucket.left(0).units).toBe(4)
})

test('bucket: a lower rate applies at once and blocks no longer than its own capacity', () => {
  const bucket = new Bucket({ perMinute: 600, capacity: 60 }, 0)
  for (let i = 0; i < 60; i++) expect(take(bucket, 1, 0)).toBe(true)
  bucket.adjust({ perMinute: 60, capacity: 5 }, 0)
  expect(bucket.waitMs(1, 0)).toBe(1_000)
  bucket.adjust({ perMinute: 600, capacity: 60 }, 0)
  expect(bucket.left(0).units).toBe(55)
})

test('bucket: nothing is refilled when the clock stands still or steps back', () => {
  const bucket = new Bucket({ perMinute: 60, capacity: 1 }, 10_000)
  expect(take(bucket, 1, 10_000)).toBe(true)
  expect(bucket.waitMs(1, 5_000)).toBe(1_000)
  expect(bucket.waitMs(1, 10_999)).toBe(1)
  expect(bucket.waitMs(1, 11_000)).toBe(0)
})
