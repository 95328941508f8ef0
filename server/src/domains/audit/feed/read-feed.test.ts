import { describe, expect, test } from 'vitest'
import { afterSigning, SIGNED_AT, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { freshDatabases } from '../../../../test/support/fresh-database.ts'
import { findWorkspacesToRollUp, rollUpRecords } from '../statistics/roll-up.ts'
import type { FeedPosition } from './cursor.ts'
import { readFeed } from './read-feed.ts'

const DAY = 86_400_000

describe.each(freshDatabases())('feed of several Workspaces on $name', ({ open }) => {
  const log = useAuditLog(open)

  test('readFeed: a Workspace that has more records than a page holds up no other', async () => {
    const logs = [log(), await log().createOther()]
    const at = (ms: number) => ({ created_at: afterSigning(ms).toISOString() })
    for (const each of logs) await each.append(1, at(0))
    for (const each of logs) await each.append(5, at(each === logs[0] ? 2 : 1))
    let position: FeedPosition = {}
    const pages: string[][] = []
    for (let count = 0; count < 2; count++) {
      const page = await readFeed(log().db, position, { limit: 2 })
      pages.push(page.records.map((record) => record.workspace_id))
      position = page.position
    }
    expect(new Set(pages.flat())).toEqual(new Set(logs.map((each) => each.workspaceId)))
  })
})

describe.each(testDatabases())('a log that went back, on $name', ({ open }) => {
  const log = useAuditLog(open, { groups: [8, 4] })
  const read = (after: FeedPosition) => readFeed(log().db, after, { limit: 100, workspaceIds: [log().workspaceId] })

  test('readFeed: continues behind the position, also when retention has removed its record', async () => {
    const { position } = await read({})
    await log().sign(afterSigning(1))
    await log().prune(afterSigning(2 * DAY), { now: SIGNED_AT })
    await log().append(2)
    expect((await read(position)).records.map(({ integrity }) => integrity.sequence)).toEqual([13, 14, 15])
  })

  test.each([1, 3, 6])('readFeed: throws when three records were replaced by %i others', async (count) => {
    const { position } = await read({})
    await log().intruder.cutAfter(9)
    await log().append(count)
    await expect(read(position)).rejects.toThrow('went back behind the position')
  })

  test('resumeSigning: lets the records after an accepted cut be counted', async () => {
    const { db, workspaceId } = log()
    const count = () => rollUpRecords(db, workspaceId, { now: new Date() })
    await count()
    await log().intruder.cutAfter(7)
    expect(await log().resume()).toMatchObject({ through: 7 })
    await log().append(1)
    expect(await findWorkspacesToRollUp(db)).toContain(workspaceId)
    await count()
    expect(await findWorkspacesToRollUp(db)).not.toContain(workspaceId)
  })
})
