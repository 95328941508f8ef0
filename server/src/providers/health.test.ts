import { beforeEach, describe, expect, test } from 'vitest'
import { testProvider } from '../../test/support/providers.ts'
import { Health, type Permit, type Verdict } from './health.ts'

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
const attempt = (verdict: Verdict, retryAfterMs?: number) => health.release(provider, acquire(), verdict, retryAfterMs)
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

  test('lets one probe pass after its time, and its success closes it', () => {
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
