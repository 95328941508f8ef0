import { beforeEach, describe, expect, test } from 'vitest'
import { testProvider } from '../../test/support/providers.ts'
import { Health, type HealthSignal, type Permit } from './health.ts'

const provider = testProvider({ maxConcurrency: 3 })
let time: number
let health: Health
beforeEach(() => {
  time = 1_000
  health = new Health({ threshold: 3, openMs: 2_000, now: () => time })
})

const acquire = (insist = false): Permit => {
  const permit = health.acquire(provider, insist)
  if (permit === 'open' || permit === 'busy') throw new Error(permit)
  return permit
}
const attempt = (verdict: HealthSignal, retryAfterMs?: number) => health.release(provider, acquire(), verdict, retryAfterMs)
const open = () => {
  for (let i = 0; i < 3; i++) attempt('failed')
}
const circuit = () => health.status(provider).circuit

describe('the circuit', () => {
  test('opens after failures in a row only', () => {
    for (const verdict of ['failed', 'failed', 'alive', 'failed', 'failed', 'limited', 'failed', 'failed'] as const)
      attempt(verdict)
    expect(circuit()).toBe('closed')
    attempt('failed')
    expect(circuit()).toBe('open')
    expect(health.acquire(provider)).toBe('open')
    expect(health.rank(provider)).toBe(2)
  })

  test('says nothing of a caller who went away', () => {
    for (let i = 0; i < 9; i++) attempt('unknown')
    expect(circuit()).toBe('closed')
  })

  test('lets a probe pass after its time, and its success closes it', () => {
    open()
    time += 2_000
    expect(circuit()).toBe('half_open')
    const probe = acquire()
    expect(probe).toBe('probe')
    expect(health.acquire(provider)).toBe('open')
    health.release(provider, probe, 'alive')
    expect(circuit()).toBe('closed')
    expect(health.rank(provider)).toBe(0)
  })

  describe('half-open', () => {
    const wide = testProvider({ id: 'wide', maxConcurrency: 100 })
    const openWide = () => {
      for (let i = 0; i < 3; i++) health.release(wide, health.acquire(wide) as Permit, 'failed')
      time += 2_000
    }
    /** As many as pass right now. */
    const pass = (): number => {
      let passed = 0
      while (health.acquire(wide) === 'probe') passed++
      return passed
    }

    test('admits a share of the callers that doubles each second while no probe fails, up to half of the places', () => {
      openWide()
      const passed: number[] = []
      for (let second = 0; second < 8; second++) {
        passed.push(pass())
        time += 1_000
      }
      expect(passed).toEqual([4, 4, 8, 16, 18, 0, 0, 0])
    })

    test('admits all but a few of 40 callers to a healthy provider within 4 s although its first answer takes 10 s', () => {
      openWide()
      let admitted = 0
      for (let second = 0; second <= 4; second++) {
        admitted += pass()
        time += 1_000
      }
      expect(admitted).toBeGreaterThanOrEqual(40)
      health.release(wide, 'probe', 'alive')
      expect(health.status(wide).circuit).toBe('closed')
      expect(health.acquire(wide)).toBe('call')
    })

    test('gives a probe’s place back when its caller goes away, and opens again when a probe fails', () => {
      openWide()
      expect(pass()).toBe(4)
      for (let i = 0; i < 4; i++) health.release(wide, 'probe', 'unknown')
      expect(pass()).toBe(4)
      health.release(wide, 'probe', 'failed')
      expect(health.status(wide).circuit).toBe('open')
      expect(pass()).toBe(0)
      expect(health.retryAfterMs(wide)).toBe(2_000)
      for (let i = 0; i < 3; i++) health.release(wide, 'probe', 'failed')
      time += 2_000
      expect(pass()).toBe(4)
      expect(health.status(wide).active).toBe(4)
    })
  })

  test('remembers the last error, and tells of a fault once until it has ended', () => {
    const at = new Date(0)
    const fault = { kind: 'key_rejected', at, fault: true }
    expect(health.note(provider, { kind: 'timeout', at, fault: false })).toBe(false)
    expect([health.note(provider, fault), health.note(provider, fault)]).toEqual([true, false])
    health.note(provider, undefined)
    expect(health.status(provider).lastError).toEqual({ ...fault, fault: false })
    expect(health.note(provider, fault)).toBe(true)
  })

  test('stays open for as long again when the probe fails', () => {
    open()
    time += 2_000
    attempt('failed')
    expect(health.acquire(provider)).toBe('open')
    time += 2_000
    attempt('alive')
    expect(circuit()).toBe('closed')
  })

  test('lets one probe at a time pass before its time for callers with nobody else to ask', () => {
    open()
    const probe = acquire(true)
    expect(health.acquire(provider, true)).toBe('open')
    health.release(provider, probe, 'unknown')
    expect(circuit()).toBe('open')
    health.release(provider, acquire(true), 'alive')
    expect(circuit()).toBe('closed')
  })

  test('is closed by the success, not prolonged by the failure, of calls that were under way', () => {
    const [early, late] = [acquire(), acquire()]
    open()
    time += 1_000
    health.release(provider, early, 'failed')
    time += 1_000
    expect(circuit()).toBe('half_open')
    health.release(provider, late, 'alive')
    expect(circuit()).toBe('closed')
  })

  test('of one Workspace does not concern another', () => {
    open()
    expect(health.acquire({ ...provider, workspaceId: 'ws_other' })).toBe('call')
  })
})

test('no more calls at a time than the provider allows', () => {
  const permits = [acquire(), acquire(), acquire()]
  expect(health.acquire(provider)).toBe('busy')
  expect(health.rank(provider)).toBe(2)
  health.release(provider, permits[0] as Permit, 'failed')
  expect(health.acquire(provider)).toBe('call')
  expect(health.status(provider).active).toBe(3)
})

test('a limited provider stands behind others for as long as it asked, within bounds', () => {
  attempt('limited', 5_000)
  expect(health.rank(provider)).toBe(1)
  time += 5_000
  expect(health.rank(provider)).toBe(0)
  attempt('limited', 3_600_000)
  time += 30_000
  expect(health.rank(provider)).toBe(0)
})
