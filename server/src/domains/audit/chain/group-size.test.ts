import { afterEach, expect, test } from 'vitest'
import { elapsed } from '../../../platform/lib/clock.ts'
import { GroupSize } from './group-size.ts'

// @MECHANISM The size of groups and the wait for them: goes with groups of records.

/** Start of a wait that no limit of time ends. */
const UNLIMITED = Number.POSITIVE_INFINITY
const TURN_MS = 0.5

/** A size that waits for `awaited` records. */
function sizeOf(awaited: number): GroupSize {
  const size = new GroupSize()
  while (size.awaited < awaited) size.adapt(1)
  return size
}

let busy: NodeJS.Immediate | undefined
afterEach(() => clearImmediate(busy))

/** Gives each turn of the event loop work, and calls `onTurn` in it. */
function keepBusy(onTurn: () => void): void {
  busy = setImmediate(() => {
    for (const from = elapsed(); elapsed() - from < TURN_MS; );
    onTurn()
    keepBusy(onTurn)
  })
}

test('GroupSize: grows by one while records queue during commits, up to 16, and halves when none do', () => {
  const size = new GroupSize()
  const grow = () => size.adapt(3)
  expect(size.awaited).toBe(1)
  grow()
  expect(size.awaited).toBe(2)
  for (let commits = 0; commits < 30; commits++) grow()
  expect(size.awaited).toBe(16)
  size.adapt(0)
  expect(size.awaited).toBe(8)
  for (let commits = 0; commits < 5; commits++) size.adapt(0)
  expect(size.awaited).toBe(1)
})

test('GroupSize: waits for the awaited records while the event loop is busy, and not when they are there', async () => {
  let records = 1
  keepBusy(() => records++)
  await sizeOf(1).wait(() => records, UNLIMITED)
  expect(records).toBe(1)
  await sizeOf(4).wait(() => records, UNLIMITED)
  expect(records).toBe(4)
})

test('GroupSize: stops waiting when the event loop has nothing else to do, or the first record has waited long', async () => {
  await expect(sizeOf(4).wait(() => 1, UNLIMITED)).resolves.toBeUndefined()
  const since = elapsed()
  keepBusy(() => {})
  await sizeOf(4).wait(() => 1, since)
  expect(elapsed() - since).toBeGreaterThanOrEqual(10)
})
