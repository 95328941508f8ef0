import { beforeEach, describe, expect, test } from 'vitest'
import { afterSigning, SIGNED_AT, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import type { StoredRecord } from '../audit-store.ts'
import { LogRereader, rereadNextRange } from './reread.ts'

const DAY = 24 * 3_600_000
const TEN_DAYS_AGO = afterSigning(-10 * DAY)

/** Twenty records; checkpoints after the eighth and the sixteenth. */
describe.each(testDatabases())('rereadNextRange on $name', ({ open }) => {
  const log = useAuditLog(open)
  beforeEach(async () => {
    await log().append(8)
    await log().sign(TEN_DAYS_AGO)
    await log().append(8)
    await log().sign()
    await log().append(4)
  })

  const reread = (after: number) => rereadNextRange(log().db, log().workspaceId, log().keys, after)

  test('reads from checkpoint to checkpoint and ends when no checkpoint covers the records', async () => {
    expect(await reread(0)).toEqual({ records: 8, through: 8 })
    expect(await reread(8)).toEqual({ records: 8, through: 16 })
    expect(await reread(16)).toBeUndefined()
  })

  test.each<[string, Partial<StoredRecord>, string]>([
    ['body', { body: '{}' }, 'altered'],
    ['verdict', { verdict: 'deny' }, 'altered'],
    ['seal', { seal: null }, 'unsealed'],
  ])('finds a record with a changed %s', async (_, columns, reason) => {
    await log().intruder.change(11, columns)
    expect(await reread(0)).toEqual({ records: 8, through: 8 })
    expect(await reread(8)).toMatchObject({ fault: { sequence: 11, reason } })
  })

  test('finds a record removed between two checkpoints', async () => {
    await log().intruder.removeRows(12)
    expect(await reread(8)).toMatchObject({ fault: { sequence: 12, reason: 'missing' } })
  })

  test('begins after the records removed by retention', async () => {
    expect(await log().prune(afterSigning(-DAY), { now: SIGNED_AT })).toBe(8)
    expect(await reread(0)).toEqual({ records: 8, through: 16 })
  })
})

test('LogRereader: continues where the previous run ended and starts again at the end', async () => {
  const rereader = new LogRereader()
  const read: string[] = []
  const sizes: Record<string, number> = { a: 3, b: 1 }
  const run = () =>
    rereader.run(['a', 'b'], 2, async (id, after) => {
      if (after >= (sizes[id] ?? 0)) return undefined
      read.push(`${id}${after + 1}`)
      return { records: 1, through: after + 1 }
    })
  for (let i = 0; i < 4; i++) await run()
  expect(read).toEqual(['a1', 'a2', 'b1', 'a3', 'b1', 'b1', 'a1'])
})
