import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Heartbeats } from './heartbeat.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function watch(...ids: number[]) {
  const hung: number[] = []
  const heartbeats = new Heartbeats({ onHung: (id) => void hung.push(id) })
  for (const id of ids) heartbeats.watch(id)
  return { heartbeats, hung }
}
const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000)

test('heartbeats: a process that stops beating hangs after 30 s, once, and one that beats does not', () => {
  const { heartbeats, hung } = watch(1, 2)
  for (let second = 0; second < 100; second++) {
    if (second < 50) heartbeats.beat(1)
    heartbeats.beat(2)
    pass(1)
    expect(hung).toEqual(second < 78 ? [] : [1])
  }
  expect([1, 2].map((id) => heartbeats.isHung(id))).toEqual([true, false])
  heartbeats.beat(1)
  expect(heartbeats.isHung(1)).toBe(false)
})

test('heartbeats: a process has 120 s until its first beat, and a removed one does not hang', () => {
  const { heartbeats, hung } = watch(1, 2)
  pass(119)
  expect(hung).toEqual([])
  heartbeats.remove(2)
  pass(10)
  expect(hung).toEqual([1])
})

test('heartbeats: a machine that was suspended for an hour has no hung processes when it continues', () => {
  const { heartbeats, hung } = watch(1)
  heartbeats.beat(1)
  vi.setSystemTime(Date.now() + 3_600_000)
  pass(2)
  expect(hung).toEqual([])
})
