import { setImmediate } from 'node:timers/promises'

let ahead: Promise<void> | undefined
let callers = 0

/**
 * A turn of the event loop in which all callers until then resume together: they run step by step and share warm CPU caches (bench/README.md). It is
 * the next turn for a single caller, and otherwise the first one to which no further caller has come, at most the eighth.
 */
export function nextTurn(): Promise<void> {
  callers += 1
  ahead ??= untilNoMoreCome()
  return ahead
}

async function untilNoMoreCome(): Promise<void> {
  for (let turn = 0, known = 0; known < callers && turn < 8; turn++) {
    known = callers
    await setImmediate()
  }
  ahead = undefined
  callers = 0
}
