import { afterEach, expect, test, vi } from 'vitest'
import type { Db } from './database.ts'
import { ReadReplica, ReplicaLag } from './read-replica.ts'

/** Servers whose position in the write-ahead log the test sets. A position of undefined: the server does not respond. */
function servers(maxLagMs = 60_000) {
  const positions: Record<'primary' | 'replica', number | undefined> = { primary: 100, replica: 100 }
  const server = (name: 'primary' | 'replica') => ({
    db: name as unknown as Db,
    probe: {
      query: async () => {
        if (positions[name] === undefined) throw new Error(`${name} is gone`)
        return { rows: [{ position: positions[name] }] }
      },
    } as never,
  })
  const errors: Error[] = []
  const onError = (error: Error) => void errors.push(error)
  const reads = new ReadReplica({ primary: server('primary'), replica: server('replica'), maxLagMs, onError })
  opened.push(reads)
  return { positions, errors, reads, source: () => reads.run(async (db) => String(db)) }
}

const opened: ReadReplica[] = []
afterEach(async () => {
  for (const reads of opened.splice(0)) await reads.close()
})

test('reads: come from the replica when it is fresh', async () => {
  const { reads, source, errors } = servers()
  await reads.open()
  expect(await source()).toBe('replica')
  expect(errors).toEqual([])
})

test('reads: come from the primary when the replica is behind, and from the replica when it has caught up', async () => {
  const { reads, source, positions } = servers(500)
  await reads.open()
  positions.primary = 200
  await vi.waitFor(async () => expect(await source()).toBe('primary'), { timeout: 20_000 })
  expect(reads.replica.lagMs).toBeGreaterThan(500)
  positions.replica = 200
  await vi.waitFor(async () => expect(await source()).toBe('replica'), { timeout: 20_000 })
})

test('reads: come from the primary when the replica does not respond, which is reported once', async () => {
  const { reads, source, positions, errors } = servers()
  positions.replica = undefined
  await reads.open()
  expect(await source()).toBe('primary')
  expect(reads.replica.lagMs).toBe(Number.POSITIVE_INFINITY)
  positions.replica = 100
  await vi.waitFor(async () => expect(await source()).toBe('replica'), { timeout: 20_000 })
  expect(errors.map(({ message }) => message)).toEqual(['the read replica does not respond: reading from the primary'])
})

test('reads: are repeated on the primary when the replica fails, except after the time limit of a statement', async () => {
  const { reads, errors } = servers()
  await reads.open()
  const failWith = (code: string) =>
    reads.run(async (db) => {
      if (String(db) === 'replica') throw Object.assign(new Error('failed'), { code })
      return 'repeated'
    })
  expect(await failWith('40001')).toBe('repeated')
  expect(errors).toHaveLength(1)
  await expect(failWith('57014')).rejects.toThrow('failed')
})

test('reads: caughtUp waits until the replica has what the primary has committed', async () => {
  const { reads, positions } = servers()
  await reads.open()
  positions.primary = 300
  const waiting = reads.caughtUp()
  setTimeout(() => (positions.replica = 300), 100)
  expect(String(await waiting)).toBe('replica')
  expect(positions.replica).toBe(300)
  positions.replica = undefined
  expect(String(await reads.caughtUp())).toBe('primary')
})

/** A step is a sample of the primary, its time and position, or a position up to which the replica has replayed. */
test.each<[string, readonly (readonly [at: number, position: number] | number)[], number, number]>([
  ['is unknown when nothing was compared yet', [], 1_000, Number.POSITIVE_INFINITY],
  ['does not grow when the primary writes nothing', [[0, 700], 700, [1_000, 700], 700, [2_000, 700], 700], 2_100, 100],
  ['is the age of the newest position that a slow replica has', [[0, 100], [1_000, 200], [2_000, 300], 250], 2_000, 1_000],
  ['grows when nothing is compared any more', [[0, 100], 100], 9_000, 9_000],
  ['follows the new primary when its positions are lower after a failover', [[0, 900], [1_000, 800], 800], 1_500, 500],
])('replica lag: %s', (_, steps, at, expected) => {
  const lag = new ReplicaLag(60_000)
  for (const step of steps) {
    if (typeof step === 'number') lag.replayed(step)
    else lag.sample(...step)
  }
  expect(lag.at(at)).toBe(expected)
})

test('replica lag: is unknown when the replica failed, or is behind everything that is remembered', () => {
  const lag = new ReplicaLag(1_000)
  lag.sample(0, 100)
  lag.replayed(100)
  lag.forget()
  expect(lag.at(10)).toBe(Number.POSITIVE_INFINITY)
  lag.sample(5_000, 200)
  lag.replayed(150)
  expect(lag.at(5_000)).toBe(Number.POSITIVE_INFINITY)
})
