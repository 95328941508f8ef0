import { afterEach, expect, test } from 'vitest'
import { localSignal } from '../db/signal.ts'
import { WorkQueue } from './work-queue.ts'

type Options = Partial<ConstructorParameters<typeof WorkQueue<number>>[0]>

/** A queue of numbers in memory. The test decides when an item ends. */
function controlled(items: number[], options: Options = {}) {
  const working = new Map<number, PromiseWithResolvers<boolean>>()
  const aborted: number[] = []
  const claims: number[] = []
  const queue = new WorkQueue<number>({
    claim: async (most) => {
      claims.push(most)
      await settled()
      return items.splice(0, most)
    },
    work: (item, signal) => {
      const done = Promise.withResolvers<boolean>()
      working.set(item, done)
      signal.addEventListener('abort', () => {
        if (working.has(item)) aborted.push(item)
        done.resolve(true)
      })
      return done.promise.finally(() => working.delete(item))
    },
    concurrency: 2,
    signal,
    topics: ['items'],
    onError: (error) => {
      throw error
    },
    ...options,
  })
  queues.push(queue)
  const end = async (item: number) => {
    working.get(item)?.resolve(true)
    await settled()
  }
  return { queue, end, aborted, claims, working: () => [...working.keys()] }
}
const signal = localSignal()
const queues: WorkQueue<number>[] = []
afterEach(async () => {
  for (const queue of queues.splice(0)) await queue.close()
})
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('work queue: works on at most `concurrency` items, and claims another when one ends', async () => {
  const { queue, end, working } = controlled([1, 2, 3, 4])
  await queue.run()
  expect(working()).toEqual([1, 2])
  await queue.run()
  expect(working()).toEqual([1, 2])
  await end(1)
  await expect.poll(working).toEqual([2, 3])
})

test('work queue: is woken by its topic until it is closed', async () => {
  const { queue, claims } = controlled([])
  await signal.publish('items', 'any')
  expect(claims).toHaveLength(1)
  await queue.close()
  await signal.publish('items', 'any')
  expect(claims).toHaveLength(1)
})

test('work queue: claims no other item at once when an item fails', async () => {
  const faults: string[] = []
  const work = () => Promise.reject(new Error('always'))
  const { queue, claims } = controlled([1], { work, onError: (error) => void faults.push(error.message) })
  await queue.run()
  await settled()
  expect(faults).toEqual(['always'])
  expect(claims).toHaveLength(1)
})

test('work queue: `idle` resolves when no item is due or in work', async () => {
  const seen: number[] = []
  const work = async (item: number) => {
    await settled()
    seen.push(item)
    return true
  }
  const { queue } = controlled([1, 2, 3, 4, 5], { work })
  await queue.idle()
  expect(seen).toEqual([1, 2, 3, 4, 5])
})

test('work queue: `close` waits for running items and claims no others', async () => {
  const { queue, end, aborted, working } = controlled([1, 2, 3], { graceMs: 60_000 })
  await queue.run()
  const closed = queue.close()
  await settled()
  await end(1)
  await end(2)
  await closed
  expect(working()).toEqual([])
  expect(aborted).toEqual([])
})

test('work queue: `close` aborts items after the grace, and does not wait for items that ignore the signal', async () => {
  const { queue, aborted } = controlled([1, 2])
  await queue.run()
  await queue.close()
  expect(aborted).toEqual([1, 2])
  const ignoring = controlled([1], { work: () => new Promise(() => {}), graceMs: 1, cutMs: 1 })
  await ignoring.queue.run()
  await ignoring.queue.close()
})
