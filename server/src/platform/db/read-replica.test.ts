import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Db } from './database.ts'
import { ReadReplica } from './read-replica.ts'

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

describe('ReadReplica', () => {
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
})
