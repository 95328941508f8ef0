import { beforeEach, describe, expect, test } from 'vitest'
import { useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { exportRecords, verifyExport } from './export.ts'

const DAY = 86_400_000
const day = (count: number) => new Date(Date.UTC(2026, 2, 1) + count * DAY)

describe.each(testDatabases())('exportRecords on $name', ({ open }) => {
  const log = useAuditLog(open)
  let whole: string[]
  beforeEach(async () => {
    expect(await lines()).toHaveLength(1)
    for (let days = 0; days < 4; days++) {
      await log().append(5, { created_at: day(days).toISOString() })
      await log().sign(day(days))
    }
    whole = await lines()
  })

  async function lines(range?: { from?: Date; to?: Date }): Promise<string[]> {
    const all: string[] = []
    for await (const line of exportRecords(log().db, log().workspaceId, range)) all.push(line)
    return all
  }
  const check = (exported: readonly string[]) => verifyExport(exported, log().keys.publicKey)

  test('contains every record and verifies on its own', async () => {
    expect(whole).toHaveLength(22)
    expect(whole.map((line) => JSON.parse(line).object)).toEqual([
      'audit_export',
      ...Array(20).fill('audit_record'),
      'audit_checkpoint',
    ])
    expect(await check(whole)).toEqual({ ok: true, records: 20, checkpoints: 1, first: 1, signedThrough: 20 })
    expect(await check([...whole, ''])).toMatchObject({ ok: true })
  })

  test('covers the smallest range between checkpoints around a time range', async () => {
    const part = await lines({ from: day(1.5), to: day(2.5) })
    expect(await check(part)).toEqual({ ok: true, records: 10, checkpoints: 1, first: 11, signedThrough: 20 })
    expect(await check(await lines({ to: day(0.5) }))).toMatchObject({ ok: true, records: 10, first: 1, signedThrough: 10 })
    expect(await check(await lines({ from: day(9) }))).toMatchObject({ ok: true, records: 0 })
  })

  test('verifyExport: fails when a line is changed, omitted, moved, repeated or added, or the export is truncated', async () => {
    const record = 6
    const line = (at: number) => whole[at] as string
    const edit = (from: string, to: string) => whole.with(record, line(record).replace(from, to))
    const faults: readonly [readonly string[], object][] = [
      [edit('"status":200', '"status":201'), { sequence: record, reason: 'altered' }],
      [edit('"prev_hash":"', '"prev_hash":"0'), { sequence: record, reason: 'altered' }],
      [edit('{', '['), { sequence: record, reason: 'altered' }],
      [whole.toSpliced(record, 1), { sequence: record, reason: 'missing' }],
      [whole.toSpliced(record, 0, line(record)), { reason: 'unexpected' }],
      [whole.with(3, line(4)).with(4, line(3)), { sequence: 3 }],
      [[...whole, line(record)], { sequence: 21, reason: 'unexpected' }],
      ...[1, 2, 20, 21].map((length): [string[], object] => [whole.slice(0, length), { sequence: length, reason: 'missing' }]),
    ]
    for (const [lines, firstFault] of faults) expect(await check(lines)).toMatchObject({ ok: false, firstFault })
    for (const field of ['size', 'root', 'hash', 'created_at', 'workspace_id', 'signature', 'frontier']) {
      const checkpoint = JSON.parse(whole[21] as string)
      const bent = JSON.stringify({
        ...checkpoint,
        [field]: field === 'size' ? 19 : field === 'frontier' ? [] : `${checkpoint[field]}0`.slice(1),
      })
      expect(await check(whole.with(21, bent))).toMatchObject({ ok: false, firstFault: { reason: 'checkpoint_altered' } })
    }
  })

  test('verifyExport: rejects an export of another Workspace and other files', async () => {
    const other = await log().createOther()
    expect(await verifyExport(whole, other.keys.publicKey)).toMatchObject({
      ok: false,
      firstFault: { reason: 'checkpoint_altered' },
    })
    const renamed = (whole[0] as string).replace(log().workspaceId, other.workspaceId)
    expect(await check(whole.with(0, renamed))).toMatchObject({ ok: false })
    await expect(check([])).rejects.toThrow('the file is empty')
    await expect(check(whole.slice(1))).rejects.toThrow('first line')
    await expect(check(['null'])).rejects.toThrow('first line')
  })

  test('begins at the checkpoint at which retention stopped', async () => {
    await log().prune(day(1.5), { now: day(500) })
    await log().sign(day(500))
    const rest = await lines()
    expect(await check(rest)).toEqual({ ok: true, records: 11, checkpoints: 1, first: 11, signedThrough: 21 })
    const header = JSON.parse(rest[0] as string)
    const bent = JSON.stringify({ ...header, after: { ...header.after, hash: '0'.repeat(64) } })
    expect(await check(rest.with(0, bent))).toMatchObject({
      ok: false,
      firstFault: { sequence: 10, reason: 'checkpoint_altered' },
    })
  })
})
