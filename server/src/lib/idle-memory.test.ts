import { expect, test, vi } from 'vitest'
import { IdleMemory } from './idle-memory.ts'

test('IdleMemory: collects once when the event loop is idle, and not again while the heap has not grown', () => {
  const collect = vi.fn()
  const heap = { ...process.memoryUsage(), heapTotal: 64 * 2 ** 20, heapUsed: 32 * 2 ** 20 }
  const usage = vi.spyOn(process, 'memoryUsage').mockReturnValue(heap)
  const shares = [1, 0.5, 0.06, 0.05, 0, 0]
  const memory = new IdleMemory({ collect, busyShare: () => shares.shift() ?? 1 })
  expect(Array.from({ length: 6 }, () => memory.check())).toEqual([false, false, false, true, false, false])
  usage.mockRestore()
  expect(collect.mock.calls).toEqual([[{ type: 'major', execution: 'sync', flavor: 'last-resort' }]])
})

test('IdleMemory: does nothing without a collector', () => {
  expect(new IdleMemory({ collect: undefined, busyShare: () => 0 }).check()).toBe(false)
})
