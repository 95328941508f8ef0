import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seedAuditedWorkspace, testDraft } from '../../test/support/audit.ts'
import { testDatabases } from '../../test/support/database.ts'
import type { Database } from '../db/database.ts'
import { appendInTransaction } from './audit-store.ts'
import { uuidOf } from './chain.ts'
import { LogRereader, rereadStretch } from './reread.ts'
import { pruneRecords } from './retention.ts'
import { makeCheckpoint } from './sign-checkpoints.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

const DAY = 24 * 3_600_000
const NOW = new Date('2026-03-01T00:00:00.000Z')
const TEN_DAYS_AGO = new Date(NOW.getTime() - 10 * DAY)

/** Twenty records; checkpoints after the eighth and the sixteenth. */
describe.each(testDatabases())('rereading on $name', ({ open }) => {
  let database: Database
  let workspaceId: string
  let keys: WorkspaceKeys

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    ;({ workspaceId, keys } = await seedAuditedWorkspace(database.db))
    for (const [count, signedAt] of [[8, TEN_DAYS_AGO], [8, NOW], [4]] as const) {
      const drafts = Array.from({ length: count }, () => testDraft(workspaceId))
      await database.db.transaction().execute((tx) => appendInTransaction(tx, workspaceId, drafts, keys.hasher))
      if (signedAt) await makeCheckpoint(database.db, workspaceId, keys, signedAt)
    }
  })

  const reread = (after: number) => rereadStretch(database.db, workspaceId, keys, after)
  const change = (assignment: string, sequence: number) =>
    sql
      .raw(`update audit_record set ${assignment} where workspace_id = '${uuidOf('ws', workspaceId)}' and sequence = ${sequence}`)
      .execute(database.db)

  test('goes from checkpoint to checkpoint, and ends where none covers the records', async () => {
    expect(await reread(0)).toEqual({ records: 8, through: 8 })
    expect(await reread(8)).toEqual({ records: 8, through: 16 })
    expect(await reread(16)).toBeUndefined()
  })

  test.each([
    ['body', `body = replace(body, '"status":200', '"status":403')`, 'altered'],
    ['verdict', `verdict = 'deny'`, 'altered'],
    ['seal', 'seal = null', 'unsealed'],
  ])('finds a record whose %s was changed', async (_, assignment, reason) => {
    await change(assignment, 11)
    expect(await reread(0)).toEqual({ records: 8, through: 8 })
    expect(await reread(8)).toMatchObject({ bad: { sequence: 11, reason } })
  })

  test('finds a record that was removed between two checkpoints', async () => {
    await sql`delete from audit_record where workspace_id = ${uuidOf('ws', workspaceId)} and sequence = 12`.execute(database.db)
    expect(await reread(8)).toMatchObject({ bad: { sequence: 12, reason: 'missing' } })
  })

  test('begins behind what retention has removed', async () => {
    const before = new Date(NOW.getTime() - DAY)
    expect(await pruneRecords(database.db, workspaceId, { before, keys, now: NOW })).toBe(8)
    expect(await reread(0)).toEqual({ records: 8, through: 16 })
  })
})

test('a run goes on where the one before it ended, Workspace after Workspace, and begins again at the end', async () => {
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
