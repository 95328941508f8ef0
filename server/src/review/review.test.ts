import { describe, expect, test } from 'vitest'
import { type Lease, leaseEnd, releaseStep, stateAt } from './review.ts'

const at = (ms: number): Date => new Date(Date.UTC(2026, 0, 1) + ms)
const EXPIRES = at(1_000)

describe('stateAt', () => {
  const state = (stored: string, now: Date) => stateAt({ state: stored, expiresAt: EXPIRES }, now)

  test.each(['pending', 'approved'])('%s turns into expired at its time, not a millisecond before', (stored) => {
    expect([state(stored, at(999)), state(stored, at(1_000)), state(stored, at(9_999))]).toEqual([stored, 'expired', 'expired'])
  })
  test.each(['denied', 'released', 'acknowledged'])('%s stays what it is', (stored) => {
    expect([state(stored, at(999)), state(stored, at(9_999))]).toEqual([stored, stored])
  })
  test('what a sweep has marked is expired', () => expect(state('expired', at(9_999))).toBe('expired'))
})

describe('releaseStep', () => {
  const lease = (ms: number, more: Partial<Lease> = {}): Lease => ({ now: at(ms), leaseMs: 100, ...more })
  const hold = (state: string, startedMs: number | null, point = 'input') => ({
    state,
    point,
    expiresAt: EXPIRES,
    releaseStartedAt: startedMs === null ? null : at(startedMs),
  })

  test('approved and unclaimed is ready until it expires', () => {
    expect(releaseStep(hold('approved', null), lease(999))).toBe('ready')
    expect(releaseStep(hold('approved', null), lease(1_000))).toBe('expired')
  })
  test('a released result is handed out until it expires', () => {
    expect(releaseStep(hold('released', 10), lease(999))).toBe('released')
    expect(releaseStep(hold('released', 10), lease(1_000))).toBe('expired')
  })
  test('a denial stays a denial after its time', () => expect(releaseStep(hold('denied', null), lease(5_000))).toBe('denied'))
  test('pending waits', () => expect(releaseStep(hold('pending', null), lease(0))).toBe('pending'))
  test('a claim is busy within its lease, and interrupted from its end on', () => {
    expect(releaseStep(hold('approved', 200), lease(299))).toBe('busy')
    expect(releaseStep(hold('approved', 200), lease(leaseEnd(at(200), lease(0)).getTime() - at(0).getTime()))).toBe('interrupted')
  })
  test('an interrupted release of an answer that was there before may be repeated', () => {
    expect(releaseStep(hold('approved', 200, 'output'), lease(299))).toBe('busy')
    expect(releaseStep(hold('approved', 200, 'output'), lease(300))).toBe('ready')
  })
  test('where one process has the database to itself, a claim from before its start is interrupted at once', () => {
    expect(releaseStep(hold('approved', 200), lease(210, { exclusiveSince: at(205) }))).toBe('interrupted')
    expect(releaseStep(hold('approved', 206), lease(210, { exclusiveSince: at(205) }))).toBe('busy')
  })
})
