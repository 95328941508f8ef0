import { expect, test, vi } from 'vitest'
import { IdleHeapCollector } from './idle-heap-collector.ts'

// @MECHANISM When the heap is collected: goes with the collector.
test('IdleHeapCollector: collects once when the event loop is idle, and not again while the heap has not grown', () => {
  const collect = vi.fn()
  const heap = { ...process.memoryUsage(), heapTotal: 64 * 2 ** 20, heapUsed: 32 * 2 ** 20 }
  const usage = vi.spyOn(process, 'memoryUsage').mockReturnValue(heap)
  const shares = [1, 0.5, 0.06, 0.05, 0, 0]
  const memory = new IdleHeapCollector({ collect, busyShare: () => shares.shift() ?? 1 })
  expect(Array.from({ length: 6 }, () => memory.check())).toEqual([false, false, false, true, false, false])
  usage.mockRestore()
  expect(collect.mock.calls).toEqual([[{ type: 'major', execution: 'sync', flavor: 'last-resort' }]])
})

test('IdleHeapCollector: does nothing without a collector', () => {
  expect(new IdleHeapCollector({ collect: undefined, busyShare: () => 0 }).check()).toBe(false)
})
