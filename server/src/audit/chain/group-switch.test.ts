import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedAuditedWorkspace, testDraft } from '../../../test/support/audit.ts'
import { testDatabases } from '../../../test/support/database.ts'
import type { Database, Tx } from '../../db/database.ts'
import { finishUpgrade } from '../../db/upgrade-steps.ts'
import { newId } from '../../lib/id.ts'
import { readRecordPages } from '../audit-store.ts'
import { verifyWorkspace } from '../verify/verify.ts'
import { appendInTransaction } from './append-in-transaction.ts'
import { auditedTransaction } from './audited-transaction.ts'
import { GroupSwitch } from './group-switch.ts'
import { AuditWriter } from './writer.ts'

const NEVER_AGAIN = 1e9
const SEAL_OF_POSITION = 32

describe.each(testDatabases())('upgrade to groups on $name', ({ open }) => {
  let database: Database
  beforeAll(async () => {
    database = await open()
  })
  afterAll(async () => {
    await sql`update upgrade_step set starts_at = now()`.execute(database.db)
    await database.close()
  })

  const startIn = (hours: number) =>
    sql`update upgrade_step set starts_at = now() + make_interval(hours => ${hours})`.execute(database.db)

  test('GroupSwitch: is on in a database that this version created', async () => {
    await startIn(0)
    expect(await new GroupSwitch(database.pool).isOn()).toBe(true)
  })

  test('GroupSwitch: turns on when the day has passed or the upgrade is finished, and stays on', async () => {
    await startIn(24)
    const groups = new GroupSwitch(database.pool, 0)
    expect(await groups.isOn()).toBe(false)
    expect(await finishUpgrade(database.db)).toEqual(['audit groups'])
    expect(await finishUpgrade(database.db)).toEqual([])
    expect(await groups.isOn()).toBe(true)
    await startIn(24)
    expect(await groups.isOn()).toBe(true)
  })

  test('GroupSwitch: is off while the database cannot be asked', async () => {
    const broken = { query: () => Promise.reject(new Error('no connection')) } as unknown as Database['pool']
    expect(await new GroupSwitch(broken).isOn()).toBe(false)
  })

  test('AuditWriter: one chain when two nodes change to groups at different times', async () => {
    const { workspaceId, keys } = await seedAuditedWorkspace(database.db)
    await startIn(24)
    const nodeWith = (recheckMs: number) => {
      const groups = new GroupSwitch(database.pool, recheckMs)
      return new AuditWriter(database, { findSealer: async () => keys.hasher, usesGroups: () => groups.isOn() })
    }
    const [early, late] = [nodeWith(0), nodeWith(NEVER_AGAIN)]
    const write = async (writer: AuditWriter): Promise<void> => {
      await writer.append(workspaceId, testDraft(workspaceId))
      const own = testDraft(workspaceId, { id: newId('aud') })
      const append = (tx: Tx) => appendInTransaction(tx, workspaceId, [own], keys.hasher)
      await auditedTransaction({ db: database.db, audit: writer }, append)
    }
    const writeOnBoth = () => Promise.all([early, late, early, late, early, late].map(write))
    await writeOnBoth()
    await finishUpgrade(database.db)
    await writeOnBoth()

    expect(await verifyWorkspace(database.db, workspaceId, keys)).toMatchObject({ ok: true, records: 24 })
    const seals: number[] = []
    for await (const page of readRecordPages(database.db, workspaceId, { after: 0, through: 1e9 }))
      seals.push(...page.map(({ seal }) => seal?.length ?? 0))
    // Before: nodes of the last release can read all seals. Afterwards: only those of the late node.
    expect(seals.slice(0, 12).every((length) => length === SEAL_OF_POSITION)).toBe(true)
    expect(seals.slice(12).filter((length) => length !== SEAL_OF_POSITION)).toHaveLength(6)
  })
})
