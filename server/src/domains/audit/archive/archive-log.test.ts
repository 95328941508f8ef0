import { hash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { UnknownRow } from 'kysely'
import { describe, expect, test } from 'vitest'
import { afterRows } from '../../../../test/support/after-rows.ts'
import { afterSigning, useAuditLog } from '../../../../test/support/audit-log.ts'
import { runCommandLine } from '../../../../test/support/command-line.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { startLoopback } from '../../../../test/support/loopback.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { findFirstSequence } from '../audit-store.ts'
import { verifyExport } from '../verify/export.ts'
import { archiveNextSegment, findArchivedSequence } from './archive-log.ts'
import { type ArchivePlace, openArchive } from './archive-place.ts'

const DAY_MS = 24 * 3_600_000

describe.each(testDatabases())('archive on $name', ({ open }) => {
  const log = useAuditLog(open)
  const folder = temporaryFolder()

  const place = (): ArchivePlace => openArchive({ kind: 'folder', folder }) as ArchivePlace
  const archive = async (now: Date, fullAt?: number, to = place()): Promise<void> => {
    const { db, workspaceId, keys } = log()
    while (await archiveNextSegment(db, to, workspaceId, { keys, now, ...(fullAt !== undefined && { fullAt }) }));
  }
  /** A checkpoint after each group. */
  const fill = async (groups: number, records = 4) => {
    for (let group = 0; group < groups; group++) {
      await log().append(records)
      await log().sign(afterSigning(group * 1_000))
    }
  }
  const names = () => readdirSync(join(folder, log().workspaceId)).toSorted()
  const unzip = (bytes: Buffer) => gunzipSync(bytes).toString().trim().split('\n')
  const linesOf = (name: string) => unzip(readFileSync(join(folder, log().workspaceId, name)))
  const name = (first: number, last: number) => `${String(first).padStart(16, '0')}-${String(last).padStart(16, '0')}.jsonl.gz`

  test('archive: stores no segment while a record is missing or altered', async () => {
    await log().append(4)
    await log().append(4)
    await log().sign()
    const { db, intruder } = log()
    const row = await intruder.rowAt(3)
    await intruder.removeRows(3)
    await expect(archive(afterSigning(10_000), 8)).rejects.toThrow('tampered with')
    await db.insertInto('audit_record').values(row).execute()
    await intruder.change(3, { body: row.body.replace('"status":200', '"status":201') })
    await expect(archive(afterSigning(10_000), 8)).rejects.toThrow('tampered with')
    await intruder.change(3, { body: row.body })
    await archive(afterSigning(10_000), 8)
    expect(names()).toEqual([name(1, 8)])
  })

  test('archive: stores the segments of an accepted log, which lack records', async () => {
    await log().append(8)
    await log().sign()
    await log().intruder.remove(3)
    expect(await log().resume()).toMatchObject({ done: 'accepted' })
    await archive(afterSigning(DAY_MS + 10_000), 8)
    expect(names()).toHaveLength(1)
  })

  test('archive: raises no alarm when retention removes records of the segment meanwhile', async () => {
    const { db, workspaceId, keys } = log()
    await fill(2)
    const now = afterSigning(90 * DAY_MS)
    const prune = async () => {
      if ((await findFirstSequence(db, workspaceId)) !== 1) return
      await log().prune(afterSigning(DAY_MS), { now, archived: 4 })
    }
    const isCheckpoint = (row: UnknownRow) => 'frontier' in row
    const archiving = archiveNextSegment(db.withPlugin(afterRows(isCheckpoint, prune)), place(), workspaceId, { keys, now })
    await expect(archiving).rejects.toThrow('retention removed records of the segment')
    await archive(now)
    expect(names()).toEqual([expect.stringMatching(/^0000000000000005-/)])
  })

  test('archive: segments are written when they are full or a day old, follow each other and verify', async () => {
    await fill(5)
    await archive(afterSigning(10_000), 8)
    expect(names()).toEqual([name(1, 8), name(9, 16)])
    await archive(afterSigning(10_000), 8)
    expect(names()).toHaveLength(2)
    await archive(afterSigning(DAY_MS + 10_000), 8)
    expect(names()).toEqual([name(1, 8), name(9, 16), name(17, 20)])
    for (const segment of names()) {
      expect(await verifyExport(linesOf(segment), log().keys.publicKey)).toMatchObject({ ok: true })
    }
    const records = names().flatMap((segment) => linesOf(segment).slice(1, -1))
    expect(records.map((line) => JSON.parse(line).id)).toEqual(log().ids)
  })

  test('archive: retention waits for it, and the log continues from the archive after records are removed', async () => {
    const { db, workspaceId, keys } = log()
    await fill(2, 3)
    const now = afterSigning(90 * DAY_MS)
    const prune = async () => {
      const archived = await findArchivedSequence(db, place(), workspaceId, keys)
      return log().prune(afterSigning(DAY_MS), { now, archived })
    }
    expect(await prune()).toBe(0)
    await archive(now)
    expect(await findArchivedSequence(db, place(), workspaceId, keys)).toBe(6)
    expect(await prune()).toBe(6)
    await log().append(2)
    await log().sign(now)
    await archive(new Date(now.getTime() + DAY_MS))
    expect(names()).toEqual([name(1, 6), expect.stringMatching(/^0000000000000007-/)])
    expect(await log().verify()).toMatchObject({ ok: true })
  })

  test('archive: a node that was frozen while it stored a segment does not set the position back', async () => {
    const { db, workspaceId, keys } = log()
    await fill(4)
    const now = afterSigning(10_000)
    const write: ArchivePlace['write'] = async (...segment) => {
      await archive(now, 8)
      await place().write(...segment)
    }
    const frozen = archiveNextSegment(db, { ...place(), write, close: async () => {} }, workspaceId, { keys, now, fullAt: 8 })
    expect(await frozen).toBe(false)
    expect(await findArchivedSequence(db, place(), workspaceId, keys)).toBe(16)
    expect(names()).toEqual([name(1, 8), name(9, 16)])
  })

  test('archive: position does not move when the place refuses the segment', async () => {
    const { db, workspaceId, keys } = log()
    await fill(1, 2)
    const refusing = { ...place(), key: 'archive refusing', write: () => Promise.reject(new Error('full')) }
    await expect(archive(afterSigning(DAY_MS), undefined, refusing)).rejects.toThrow('full')
    expect(await findArchivedSequence(db, refusing, workspaceId, keys)).toBe(0)
  })

  test('archive: bucket gets the segment with a signature and its hash', async () => {
    const calls: { url: string | undefined; headers: IncomingHttpHeaders; body: Buffer }[] = []
    const bucket = await startLoopback(({ url, headers }, response, body) => {
      calls.push({ url, headers, body })
      response.end()
    })
    const access = { url: `${bucket.url}/archive`, region: 'eu-1', accessKeyId: 'id', secretAccessKey: 'secret' }
    const to = openArchive({ kind: 'bucket', ...access }) as ArchivePlace
    await fill(1, 2)
    await archive(afterSigning(DAY_MS), undefined, to)
    await to.close()
    await bucket.close()
    const [call] = calls
    expect(calls).toHaveLength(1)
    expect(call?.url).toBe(`/archive/${log().workspaceId}/${name(1, 2)}`)
    expect(call?.headers).toMatchObject({
      authorization: expect.stringContaining('eu-1/s3/aws4_request'),
      'x-amz-content-sha256': hash('sha256', call?.body ?? '', 'hex'),
    })
    expect(unzip(call?.body ?? Buffer.alloc(0))).toHaveLength(4)
  })

  test('verify-export: verifies several segments and names a missing one', async () => {
    await fill(3, 2)
    await archive(afterSigning(DAY_MS + 10_000), 2)
    const key = join(folder, `${log().workspaceId}.pem`)
    writeFileSync(key, log().keys.publicKey)
    const files = names().map((one) => join(folder, log().workspaceId, one))
    const verify = (...given: string[]) => runCommandLine(['audit', 'verify-export', ...given, '--public-key', key], {})
    expect(await verify(...files.toReversed())).toMatchObject({ code: 0, out: expect.stringContaining('2 records') })
    const [first = '', , third = ''] = files
    const gap = 'records 3 to 4 are missing before it'
    expect(await verify(first, third)).toMatchObject({ code: 1, out: expect.stringContaining(gap) })
    writeFileSync(third, readFileSync(third).subarray(0, 40))
    expect(await verify(third)).toMatchObject({ code: 1, err: expect.stringContaining(third) })
  })
})
