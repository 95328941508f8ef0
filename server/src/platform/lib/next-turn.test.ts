import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { nextTurn } from './next-turn.ts'

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

test('nextTurn: resumes callers after a time although more come in each turn', async () => {
  let resumed = false
  void nextTurn().then(() => (resumed = true))
  while (!resumed) {
    await setImmediate()
    void nextTurn()
  }
})
