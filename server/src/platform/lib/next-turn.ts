import { setImmediate } from 'node:timers/promises'
import { elapsed } from './clock.ts'

let ahead: Promise<void> | undefined
let callers = 0

/**
 * A turn of the event loop in which all callers until then resume together: they run step by step and share warm CPU caches (bench/README.md). It is the
 * next turn for a single caller, and otherwise the first one to which no further caller has come, or the first one after 5 ms.
 */
export function nextTurn(): Promise<void> {
  callers += 1
  ahead ??= untilNoMoreCome()
  return ahead
}

async function untilNoMoreCome(start = elapsed()): Promise<void> {
  let known: number
  do {
    known = callers
    await setImmediate()
  } while (known < callers && elapsed() - start < 5)
  ahead = undefined
  callers = 0
}
