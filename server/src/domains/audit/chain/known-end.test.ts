import { describe, expect, test } from 'vitest'
import { afterSigning, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { openFlakyPool } from '../../../../test/support/flaky-connection.ts'
import type { AuditWriter } from './writer.ts'

const cases = testDatabases().flatMap((database) => [
  { ...database, mode: 'at the known end', usesGroups: false },
  { ...database, mode: 'in groups', usesGroups: true },
])

/** Eight records, which a checkpoint covers. */
describe.each(cases)('AuditWriter $mode after a loss, on $name', ({ open, usesGroups }) => {
  const log = useAuditLog(open, { groups: [8, 0] })

  /** A process, and the alarms that it raises. */
  const start = (pool = log().database.pool) => {
    const alarms: number[] = []
    const onAlarm = (_: string, sequence: number) => alarms.push(sequence)
    return { writer: log().writer({ usesGroups, onAlarm }, pool), alarms }
  }
  const append = async (writer: AuditWriter, count: number) => {
    for (let i = 0; i < count; i++) await writer.append(log().workspaceId, log().draft())
  }
  const resume = async () => {
    await log().stop({ sequence: 8, id: null, reason: 'rolled_back' })
    return log().resume(true, { at: afterSigning(1) })
  }

  test.each([
    ['resumed', 8, 0],
    ['resumed', 8, 6],
    ['accepted', 6, 0],
    ['accepted', 6, 6],
  ])('append: raises no alarm when an operator %s the log after record %i, and %i records followed', async (done, kept, more) => {
    const [idle, busy] = [start(), start()]
    await append(idle.writer, 3)
    await log().intruder.cutAfter(kept)
    expect(await resume()).toMatchObject({ done })
    await append(busy.writer, more)
    await append(idle.writer, 2)
    expect(idle.alarms).toEqual([])
    expect(await log().verify()).toMatchObject({ ok: true })
  })

  test('append: raises no alarm when the first write after a resumption is lost', async () => {
    let writes = Number.NEGATIVE_INFINITY
    const isWrite = (packet: Buffer) => packet.includes('\0append\0') || packet.includes('\0append_group\0')
    // The first one finds that the end of the chain moved, and writes nothing.
    const pool = await openFlakyPool(log().database, (packet) => (isWrite(packet) && ++writes === 2 ? 'is lost' : 'arrives'))
    const { writer, alarms } = start(pool)
    await append(writer, 3)
    await log().intruder.cutAfter(8)
    expect(await resume()).toMatchObject({ done: 'resumed' })
    writes = 0
    await append(writer, 1)
    expect(writes).toBeGreaterThan(2)
    expect(alarms).toEqual([])
    await pool.close()
  })

  test('append: raises the alarm when records of the process were lost after an operator resumed', async () => {
    const { writer, alarms } = start()
    await append(writer, 1)
    expect(await resume()).toMatchObject({ done: 'resumed' })
    await append(writer, 2)
    await log().intruder.cutAfter(10)
    await append(writer, 1)
    expect(alarms).toEqual([12])
  })

  test('append: raises the alarm when the seal of a later resumption is forged', async () => {
    const { writer, alarms } = start()
    await append(writer, 3)
    await log().intruder.cutAfter(8)
    const [text = '', mac = ''] = ((await log().intruder.seal()) ?? '').split('\n')
    await log().intruder.setSeal(`${text.replace('"resumed":0', '"resumed":9')}\n${mac}`)
    await append(writer, 1)
    expect(alarms).toEqual([11])
  })
})
