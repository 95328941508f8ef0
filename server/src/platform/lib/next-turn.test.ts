import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nextTurn } from './next-turn.ts'

// Time stands still, however long a turn takes on a busy machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** Calls `nextTurn` as often as each number says in one turn of the event loop after the other. Returns how many of the calls had resumed after each turn. */
async function callInTurns(...calls: readonly number[]): Promise<number[]> {
  let resumed = 0
  const after: number[] = []
  for (const count of calls) {
    for (let call = 0; call < count; call++) void nextTurn().then(() => (resumed += 1))
    await setImmediate()
    after.push(resumed)
  }
  return after
}

test('nextTurn: resumes a single caller in the next turn', async () => {
  expect(await callInTurns(1, 0, 1, 0)).toEqual([1, 1, 2, 2])
})

test('nextTurn: resumes all callers together in the first turn without a further one', async () => {
  expect(await callInTurns(3, 0, 0)).toEqual([0, 3, 3])
  expect(await callInTurns(2, 2, 1, 0, 0)).toEqual([0, 0, 0, 5, 5])
})

test('nextTurn: resumes callers after 5 ms although more come in each turn', async () => {
  expect(await callInTurns(2, 1, 1)).toEqual([0, 0, 0])
  vi.advanceTimersByTime(5)
  expect(await callInTurns(1, 0)).toEqual([1, 1])
})
