import { expect, test, vi } from 'vitest'
import { IdleHeapCollector } from './idle-heap-collector.ts'

// @MECHANISM When the heap is collected: goes with the collector.
test('IdleHeapCollector: collects after the start, then after five idle minutes if the heap has grown', () => {
  const collect = vi.fn()
  const heap = { ...process.memoryUsage(), heapTotal: 64 * 2 ** 20, heapUsed: 32 * 2 ** 20 }
  const usage = vi.spyOn(process, 'memoryUsage').mockReturnValue(heap)
  const shares: number[] = []
  const memory = new IdleHeapCollector({ collect, busyShare: () => shares.shift() ?? 1 })
  expect(memory.collect()).toBe(true)
  const isCollectedAt = (intervals: readonly number[]): readonly boolean[] => {
    shares.push(...intervals)
    return intervals.map(() => memory.check())
  }
  const fourMinutes = Array.from({ length: 48 }, () => 0.05)
  expect(isCollectedAt([...fourMinutes, ...fourMinutes])).not.toContain(true)
  usage.mockReturnValue({ ...heap, heapTotal: 80 * 2 ** 20 })
  expect(isCollectedAt([0.06, ...fourMinutes, 1, ...fourMinutes])).not.toContain(true)
  expect(isCollectedAt(Array.from({ length: 12 }, () => 0)).lastIndexOf(true)).toBe(11)
  usage.mockRestore()
  expect(collect.mock.calls).toEqual(
    Array.from({ length: 2 }, () => [{ type: 'major', execution: 'sync', flavor: 'last-resort' }]),
  )
})

test('IdleHeapCollector: does nothing without a collector', () => {
  expect(new IdleHeapCollector({ collect: undefined, busyShare: () => 0 }).collect()).toBe(false)
})
