import { describe, expect, test } from 'vitest'
import type { PolicyPoint } from '../../shared/decision.ts'
import { type Lease, type ReviewState, releaseStep, stateAt } from './review.ts'

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

  test.each<[string, ReviewState, number | null, PolicyPoint, Readonly<Record<number, string>>]>([
    ['approved and not claimed', 'approved', null, 'input', { 999: 'ready', 1000: 'expired' }],
    ['released', 'released', 10, 'input', { 999: 'released', 1000: 'expired' }],
    ['denied', 'denied', null, 'input', { 5000: 'denied' }],
    ['pending', 'pending', null, 'input', { 0: 'pending' }],
    ['claimed', 'approved', 200, 'input', { 299: 'busy', 300: 'interrupted' }],
    ['claimed for a completion', 'approved', 200, 'output', { 299: 'busy', 300: 'ready' }],
  ])('releaseStep: of a hold that is %s', (_, state, startedMs, point, steps) => {
    for (const [ms, step] of Object.entries(steps))
      expect(releaseStep(hold(state, startedMs, point), lease(Number(ms)))).toBe(step)
  })
  test('releaseStep: interrupted when the claim is older than the only process', () => {
    expect(releaseStep(hold('approved', 200), lease(210, { exclusiveSince: at(205) }))).toBe('interrupted')
    expect(releaseStep(hold('approved', 206), lease(210, { exclusiveSince: at(205) }))).toBe('busy')
  })
})
