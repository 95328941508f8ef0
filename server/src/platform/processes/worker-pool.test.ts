import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import type { StartOrder } from './messages.ts'
import { type WorkerEvents, WorkerPool } from './worker-pool.ts'

const WAIT = { timeout: 20_000, interval: 5 }

/** A pool whose processes do what the test says. */
function startPool(processes: number) {
  const started: { number: number; order: Omit<StartOrder, 'env'>; events: WorkerEvents; told: string[] }[] = []
  let id = 0
  const pool = new WorkerPool({
    processes,
    log: pino({ level: 'silent' }),
    pauses: [1, 4],
    onExit: () => {},
    fork: (number, events) => {
      const told: string[] = []
      return {
        id: ++id,
        start: (order) => void started.push({ number, order, events, told }),
        stop: (signal) => void told.push(signal),
        kill: () => void told.push('kill'),
      }
    },
  })
  const latest = async (count: number) => {
    await vi.waitFor(() => expect(started.length).toBe(count), WAIT)
    return started[count - 1] as (typeof started)[number]
  }
  return { pool, started, latest, code: pool.run() }
}

test('worker pool: the first process prepares, and the others start with its port when it listens', async () => {
  const { pool, started, latest } = startPool(3)
  expect(started.map(({ order }) => order)).toEqual([{ number: 1, prepares: true, port: undefined }])
  started[0]?.events.onListening(4711)
  await latest(3)
  expect(started.slice(1).map(({ order }) => order)).toEqual([
    { number: 2, prepares: false, port: 4711 },
    { number: 3, prepares: false, port: 4711 },
  ])
  expect(pool.serving.map(({ number }) => number)).toEqual([1])
})

test('worker pool: ends with the exit code of the first process when it cannot start', async () => {
  const { started, code } = startPool(2)
  started[0]?.events.onExit(2, null)
  expect(await code).toBe(2)
  expect(started.length).toBe(1)
})

test('worker pool: a process that ends is started again and prepares nothing', async () => {
  const { pool, started, latest } = startPool(1)
  started[0]?.events.onListening(4711)
  started[0]?.events.onExit(null, 'SIGKILL')
  expect((await latest(2)).order).toEqual({ number: 1, prepares: false, port: 4711 })
  expect(pool.restarts).toBe(1)
})

test('worker pool: ends with exit code 1 when no process can start any more', async () => {
  const { started, latest, code } = startPool(1)
  started[0]?.events.onListening(4711)
  started[0]?.events.onExit(1, null)
  for (let count = 2; count <= 5; count++) (await latest(count)).events.onExit(1, null)
  expect(await code).toBe(1)
})

test('worker pool: a stop tells the serving processes, ends the starting ones, and ends with 1 when one was interrupted', async () => {
  const { pool, started, latest, code } = startPool(3)
  started[0]?.events.onListening(4711)
  ;(await latest(3)).events.onListening(4711)
  pool.stop('SIGTERM', 60_000)
  expect(started.map(({ told }) => told)).toEqual([['SIGTERM'], ['kill'], ['SIGTERM']])
  started[1]?.events.onExit(null, 'SIGKILL')
  started[0]?.events.onExit(0, null)
  started[2]?.events.onExit(1, null)
  expect(await code).toBe(1)
})

test('worker pool: processes are killed when they run longer than the limit of a stop', async () => {
  const { pool, started } = startPool(1)
  started[0]?.events.onListening(4711)
  pool.stop('SIGTERM', 5)
  await vi.waitFor(() => expect(started[0]?.told).toEqual(['SIGTERM', 'kill']), WAIT)
})
