import { expect, test, vi } from 'vitest'
import { IdleHeapCollector } from './idle-heap-collector.ts'

// @MECHANISM When the heap is collected: goes with the collector.
test('IdleHeapCollector: collects when the event loop is idle after the start, then after five idle minutes if the heap has grown', () => {
  const collect = vi.fn()
  const heap = { ...process.memoryUsage(), heapTotal: 64 * 2 ** 20, heapUsed: 32 * 2 ** 20 }
  const usage = vi.spyOn(process, 'memoryUsage').mockReturnValue(heap)
  const shares = [1, 0.5, 0.06, 0.05, 0, 0]
  const memory = new IdleHeapCollector({ collect, busyShare: () => shares.shift() ?? 1 })
  expect(Array.from({ length: 6 }, () => memory.check())).toEqual([false, false, false, true, false, false])
  usage.mockReturnValue({ ...heap, heapTotal: 80 * 2 ** 20 })
  const isCollectedAt = (intervals: readonly number[]): readonly boolean[] => {
    shares.push(...intervals)
    return intervals.map(() => memory.check())
  }
  const fourMinutes = Array.from({ length: 48 }, () => 0)
  expect(isCollectedAt([...fourMinutes, 1, ...fourMinutes])).not.toContain(true)
  expect(isCollectedAt(Array.from({ length: 12 }, () => 0)).lastIndexOf(true)).toBe(11)
  usage.mockRestore()
  expect(collect.mock.calls).toEqual(
    Array.from({ length: 2 }, () => [{ type: 'major', execution: 'sync', flavor: 'last-resort' }]),
  )
})

test('IdleHeapCollector: does nothing without a collector', () => {
  expect(new IdleHeapCollector({ collect: undefined, busyShare: () => 0 }).check()).toBe(false)
})
