import { beforeEach, describe, expect, test } from 'vitest'
import { testProvider } from '../../../test/support/providers.ts'
import { Health, type HealthSignal, type Permit } from './health.ts'

const provider = testProvider({ maxConcurrency: 3 })
let time: number
let health: Health
beforeEach(() => {
  time = 1_000
  health = new Health({ threshold: 3, openMs: 2_000, now: () => time })
})

const acquire = (probeEarly = false): Permit => {
  const permit = health.acquire(provider, probeEarly)
  if (permit === 'open' || permit === 'busy') throw new Error(permit)
  return permit
}
const attempt = (signal: HealthSignal, limitedMs?: number) => health.release(provider, acquire(), signal, limitedMs)
const open = () => {
  for (let i = 0; i < 3; i++) attempt('failed')
}
const circuit = () => health.status(provider).circuit

describe('circuit breaker', () => {
  test('breaker: opens only after failures in a row', () => {
    for (const signal of ['failed', 'failed', 'alive', 'failed', 'failed', 'limited', 'failed', 'failed'] as const)
      attempt(signal)
    expect(circuit()).toBe('closed')
    attempt('failed')
    expect(circuit()).toBe('open')
    expect(health.acquire(provider)).toBe('open')
    expect(health.rank(provider)).toBe(2)
  })

  test('breaker: a provider is down when its breaker stays open for a minute, until it closes', () => {
    open()
    time += 59_999
    health.release(provider, acquire(), 'failed')
    expect(health.isDown(provider)).toBe(false)
    time += 2_000
    health.release(provider, acquire(), 'failed')
    expect(health.isDown(provider)).toBe(true)
    time += 2_000
    health.release(provider, acquire(), 'alive')
    expect(health.isDown(provider)).toBe(false)
    open()
    expect(health.isDown(provider)).toBe(false)
  })

  test('breaker: stays closed when clients disconnect', () => {
    for (let i = 0; i < 9; i++) attempt('unknown')
    expect(circuit()).toBe('closed')
  })

  test('breaker: lets a probe pass after the open time, and its success closes it', () => {
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
    /** Takes all probes that may pass now and returns their number. */
    const takeProbes = (): number => {
      let taken = 0
      while (health.acquire(wide) === 'probe') taken++
      return taken
    }

    test('breaker: doubles the number of probes each second while no probe fails, up to half of the places', () => {
      openWide()
      const probes: number[] = []
      for (let second = 0; second < 8; second++) {
        probes.push(takeProbes())
        time += 1_000
      }
      expect(probes).toEqual([4, 4, 8, 16, 18, 0, 0, 0])
    })

    test('breaker: admits 40 requests within 4 s when the first response of a healthy provider takes 10 s', () => {
      openWide()
      let admitted = 0
      for (let second = 0; second <= 4; second++) {
        admitted += takeProbes()
        time += 1_000
      }
      expect(admitted).toBeGreaterThanOrEqual(40)
      health.release(wide, 'probe', 'alive')
      expect(health.status(wide).circuit).toBe('closed')
      expect(health.acquire(wide)).toBe('regular')
    })

    test('breaker: releases the place of a probe when its client disconnects, and opens again when a probe fails', () => {
      openWide()
      expect(takeProbes()).toBe(4)
      for (let i = 0; i < 4; i++) health.release(wide, 'probe', 'unknown')
      expect(takeProbes()).toBe(4)
      health.release(wide, 'probe', 'failed')
      expect(health.status(wide).circuit).toBe('open')
      expect(takeProbes()).toBe(0)
      expect(health.retryAfterMs(wide)).toBe(2_000)
      for (let i = 0; i < 3; i++) health.release(wide, 'probe', 'failed')
      time += 2_000
      expect(takeProbes()).toBe(4)
      expect(health.status(wide).active).toBe(4)
    })
  })

  test('health: keeps the last error and reports a fault once until it is cleared', () => {
    const at = new Date(0)
    const fault = { kind: 'key_rejected', at, fault: true }
    expect(health.setLastError(provider, { kind: 'timeout', at, fault: false })).toBe(false)
    expect([health.setLastError(provider, fault), health.setLastError(provider, fault)]).toEqual([true, false])
    health.clearFault(provider)
    expect(health.status(provider).lastError).toEqual({ ...fault, fault: false })
    expect(health.setLastError(provider, fault)).toBe(true)
  })

  test('breaker: lets one early probe pass at a time', () => {
    open()
    const probe = acquire(true)
    expect(health.acquire(provider, true)).toBe('open')
    health.release(provider, probe, 'unknown')
    expect(circuit()).toBe('open')
    health.release(provider, acquire(true), 'alive')
    expect(circuit()).toBe('closed')
  })

  test('breaker: earlier requests in flight close it with a success but do not extend it with a failure', () => {
    const [early, late] = [acquire(), acquire()]
    open()
    time += 1_000
    health.release(provider, early, 'failed')
    time += 1_000
    expect(circuit()).toBe('half_open')
    health.release(provider, late, 'alive')
    expect(circuit()).toBe('closed')
  })

  test('breaker: is separate for each Workspace', () => {
    open()
    expect(health.acquire({ ...provider, workspaceId: 'ws_other' })).toBe('regular')
  })
})

test('health: admits at most as many requests at a time as the provider allows', () => {
  const permits = [acquire(), acquire(), acquire()]
  expect(health.acquire(provider)).toBe('busy')
  expect(health.rank(provider)).toBe(2)
  health.release(provider, permits[0] as Permit, 'failed')
  expect(health.acquire(provider)).toBe('regular')
  expect(health.status(provider).active).toBe(3)
})

test('health: a limited provider ranks behind others for the requested time, at most 30 s', () => {
  attempt('limited', 5_000)
  expect(health.rank(provider)).toBe(1)
  time += 5_000
  expect(health.rank(provider)).toBe(0)
  attempt('limited', 3_600_000)
  time += 30_000
  expect(health.rank(provider)).toBe(0)
})
