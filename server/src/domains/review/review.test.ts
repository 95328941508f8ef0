import { describe, expect, test } from 'vitest'
import type { PolicyPoint } from '../../shared/decision.ts'
import { type Lease, leaseEnd, type ReviewState, releaseStep, stateAt } from './review.ts'

const at = (ms: number): Date => new Date(Date.UTC(2026, 0, 1) + ms)
const EXPIRES = at(1_000)

describe('stateAt', () => {
  const state = (stored: ReviewState, now: Date) => stateAt({ state: stored, expiresAt: EXPIRES }, now)

  test.each(['pending', 'approved'] as const)('stateAt: %s becomes expired at expiresAt', (stored) => {
    expect([state(stored, at(999)), state(stored, at(1_000)), state(stored, at(9_999))]).toEqual([stored, 'expired', 'expired'])
  })
  test.each(['denied', 'released', 'acknowledged'] as const)('stateAt: %s stays after expiresAt', (stored) => {
    expect([state(stored, at(999)), state(stored, at(9_999))]).toEqual([stored, stored])
  })
  test('stateAt: expired when a job has marked the item', () => expect(state('expired', at(9_999))).toBe('expired'))
})

describe('releaseStep', () => {
  const lease = (ms: number, more: Partial<Lease> = {}): Lease => ({ now: at(ms), leaseMs: 100, ...more })
  const hold = (state: ReviewState, startedMs: number | null, point: PolicyPoint = 'input') => ({
    state,
    point,
    expiresAt: EXPIRES,
    releaseStartedAt: startedMs === null ? null : at(startedMs),
  })

  test('releaseStep: ready until expiry when approved and not claimed', () => {
    expect(releaseStep(hold('approved', null), lease(999))).toBe('ready')
    expect(releaseStep(hold('approved', null), lease(1_000))).toBe('expired')
  })
  test('releaseStep: released until expiry when released', () => {
    expect(releaseStep(hold('released', 10), lease(999))).toBe('released')
    expect(releaseStep(hold('released', 10), lease(1_000))).toBe('expired')
  })
  test('releaseStep: denied after expiry when denied', () =>
    expect(releaseStep(hold('denied', null), lease(5_000))).toBe('denied'))
  test('releaseStep: pending when pending', () => expect(releaseStep(hold('pending', null), lease(0))).toBe('pending'))
  test('releaseStep: busy during the lease of a claim, then interrupted', () => {
    expect(releaseStep(hold('approved', 200), lease(299))).toBe('busy')
    expect(releaseStep(hold('approved', 200), lease(leaseEnd(at(200), lease(0)).getTime() - at(0).getTime()))).toBe('interrupted')
  })
  test('releaseStep: ready after the lease when the completion is held', () => {
    expect(releaseStep(hold('approved', 200, 'output'), lease(299))).toBe('busy')
    expect(releaseStep(hold('approved', 200, 'output'), lease(300))).toBe('ready')
  })
  test('releaseStep: interrupted when the claim is older than the only process', () => {
    expect(releaseStep(hold('approved', 200), lease(210, { exclusiveSince: at(205) }))).toBe('interrupted')
    expect(releaseStep(hold('approved', 206), lease(210, { exclusiveSince: at(205) }))).toBe('busy')
  })
})
