import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { findSealer, seedAuditedWorkspace, testDraft } from '../../../../test/support/audit.ts'
import { closeAfterAll } from '../../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { openFlakyPool, type PacketOutcome } from '../../../../test/support/flaky-connection.ts'
import { seedWorkspace } from '../../../../test/support/seed.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Database, Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { newId } from '../../../platform/lib/id.ts'
import { findRecord, streamRecords } from '../audit-store.ts'
import { verifyWorkspace } from '../verify/verify.ts'
import type { WorkspaceKeys } from '../workspace-keys.ts'
import { appendInTransaction, appendUnderLock } from './append-in-transaction.ts'
import { auditedTransaction } from './audited-transaction.ts'
import { prepareRecord } from './chain.ts'
import { AuditWriter, type AuditWriterOptions } from './writer.ts'

const unavailable = { name: 'GatehouseError', code: 'UNAVAILABLE' }

/** Positions are worked out by the node, or by the database (docs/decisions/0007-audit.md). */
const cases = testDatabases().flatMap((database) => [
  { ...database, mode: 'at the known end', usesGroups: false },
  { ...database, mode: 'in groups', usesGroups: true },
])

describe.each(cases)('AuditWriter $mode on $name', async ({ name, open, mode, usesGroups }) => {
  let workspaceId: string
  let keys: WorkspaceKeys

  const database = await closeAfterAll(open())
  const otherNode = await closeAfterAll(open())
  beforeEach(async () => {
    ;({ workspaceId, keys } = await seedAuditedWorkspace(database.db))
  })

  const writerOn = ({ pool }: Pick<Database, 'pool'>, options?: Partial<AuditWriterOptions>) =>
    new AuditWriter({ pool, kind: database.kind }, { findSealer: findSealer(database.db), usesGroups, ...options })
  const draft = (id = newId('aud')) => testDraft(workspaceId, { id })
  const drafts = (count: number) => Array.from({ length: count }, () => draft())
  const inTransaction = async (audit: AuditWriter): Promise<string[]> => {
    const own = draft()
    const append = (tx: Tx) => appendInTransaction(tx, workspaceId, [own], keys.hasher)
    await auditedTransaction({ db: database.db, audit }, append)
    return [own.id]
  }

  /** The log as it is, having verified: no gap, every link sound, the end where the chain says it is. */
  async function log(): Promise<string[]> {
    expect(await verifyWorkspace(database.db, workspaceId, keys)).toMatchObject({ ok: true })
    const ids: string[] = []
    for await (const { id } of streamRecords(database.db, workspaceId, { after: 0, through: 1e9 })) ids.push(id)
    return ids
  }

  /** @MECHANISM Groups: how many transactions wrote the log. */
  async function commits(): Promise<number> {
    const counting = sql<{ count: number }>`
      select count(distinct xmin::text) as count from audit_record where workspace_id = ${uuidOf('ws', workspaceId)}`
    return (await counting.execute(database.db)).rows[0]?.count ?? 0
  }

  test('append: resolves with the durable record and its position', async () => {
    const record = await writerOn(database).append(workspaceId, draft())
    expect(record.integrity).toMatchObject({ sequence: 1, prev_hash: '0'.repeat(64) })
    expect(await findRecord(otherNode.db, { workspaceId }, record.id)).toEqual(record)
  })

  test('append: commits records together that were queued during a commit', async () => {
    const writer = writerOn(database)
    const first = writer.append(workspaceId, draft())
    await new Promise((resolve) => setImmediate(resolve))
    const records = await Promise.all([first, ...drafts(99).map((each) => writer.append(workspaceId, each))])
    expect(await commits()).toBeLessThanOrEqual(3)
    expect(await log()).toEqual(records.map(({ id }) => id))
  })

  test('append: limits the size of a group', async () => {
    const writer = writerOn(database, { maxGroup: 4 })
    await Promise.all(drafts(18).map((each) => writer.append(workspaceId, each)))
    expect(await commits()).toBe(5)
    expect(await log()).toHaveLength(18)
  })

  // Each list of the log chains pending records, so they are queued many times while the database is away.
  test.runIf(mode === 'in groups')(
    'chain: writes a record once and the next ones when it is queued twice and another node was faster',
    async () => {
      const writer = writerOn(database)
      const pending = prepareRecord(workspaceId, draft())
      await writerOn(otherNode).chain([pending])
      await writer.chain([pending, { ...pending }])
      const next = await writer.append(workspaceId, draft())
      expect(await log()).toEqual([pending.draft.id, next.id])
    },
  )

  test('append: writes one chain without gaps, forks or losses when nodes and transactions write concurrently', async () => {
    const steps = fc.array(fc.constantFrom('here', 'there', 'transaction', 'pause'), { minLength: 20, maxLength: 80 })
    await fc.assert(
      fc.asyncProperty(steps, async (order) => {
        ;({ workspaceId, keys } = await seedAuditedWorkspace(database.db))
        const [here, there] = [writerOn(database), writerOn(otherNode)]
        const writing: Promise<string[]>[] = []
        for (const step of order) {
          if (step === 'pause') await new Promise((resolve) => setTimeout(resolve, 1))
          else if (step === 'transaction') writing.push(inTransaction(here))
          else writing.push((step === 'here' ? here : there).append(workspaceId, draft()).then(({ id }) => [id]))
        }
        const written = (await Promise.all(writing)).flat()
        expect((await log()).toSorted()).toEqual(written.toSorted())
      }),
      { numRuns: 8 },
    )
  })

  test('append: makes progress while transactions move the end of the chain all the time', async () => {
    const audit = writerOn(database)
    await audit.append(workspaceId, draft())
    let isDone = false
    const moveEnd = async () => {
      while (!isDone)
        await database.db.transaction().execute(async (tx) => {
          await sql`select 1`.execute(tx)
          await appendUnderLock(tx, workspaceId, [draft()], keys.hasher)
        })
    }
    const movers = [moveEnd(), moveEnd()]
    for (let count = 0; count < 20; count++) await audit.append(workspaceId, draft())
    isDone = true
    await Promise.all(movers)
    await log()
  })
  test('append: rejects only the record that the database rejects', async () => {
    const writer = writerOn(database)
    const { id } = await writer.append(workspaceId, draft())
    const group = [draft(), { ...draft(id), status: 418 }, draft()]
    const [before, twice, after] = await Promise.allSettled(group.map((each) => writer.append(workspaceId, each)))
    expect([before?.status, after?.status]).toEqual(['fulfilled', 'fulfilled'])
    expect(twice).toMatchObject({ status: 'rejected', reason: unavailable })
    expect(await log()).toEqual([id, group[0]?.id, group[2]?.id])
  })

  test('append: rejects an invalid draft and a Workspace without a chain, and writes the next ones', async () => {
    const [writer, unknown] = [writerOn(database), newId('ws')]
    await expect(writer.append(workspaceId, { ...draft(), workspace_id: newId('ws') })).rejects.toMatchObject(unavailable)
    await expect(writer.append(unknown, draft())).rejects.toMatchObject(unavailable)
    await expect(writer.append(unknown, testDraft(unknown))).rejects.toMatchObject(unavailable)
    await expect(writer.append(workspaceId, draft())).resolves.toBeDefined()
  })

  test('append: rejects records above the queue limit and writes the others', async () => {
    const writer = writerOn(database, { maxWaiting: 10 })
    const results = await Promise.allSettled(drafts(15).map((each) => writer.append(workspaceId, each)))
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(5)
    expect(await log()).toHaveLength(10)
    await expect(writer.append(workspaceId, draft())).resolves.toBeDefined()
  })

  test('drain: waits for all records; waiting and lagSeconds describe the queue', async () => {
    const writer = writerOn(database)
    expect([writer.waiting, writer.lagSeconds]).toEqual([0, 0])
    for (const each of drafts(30)) void writer.append(workspaceId, each)
    expect(writer.waiting).toBe(30)
    await new Promise((resolve) => setImmediate(resolve))
    expect(writer.lagSeconds).toBeGreaterThan(0)
    await writer.drain()
    expect([writer.waiting, writer.lagSeconds]).toEqual([0, 0])
    expect(await log()).toHaveLength(30)
  })

  test('append: raises the alarm when the chain was cut off', async () => {
    const alarms: unknown[] = []
    const writer = writerOn(database, { onAlarm: (...alarm) => alarms.push(alarm) })
    const [first] = await Promise.all(drafts(3).map((each) => writer.append(workspaceId, each)))
    const chain = uuidOf('ws', workspaceId)
    await database.db.deleteFrom('audit_record').where('workspace_id', '=', chain).where('sequence', '>', 1).execute()
    const hash = Buffer.from(first?.integrity.hash ?? '', 'hex')
    await database.db.updateTable('audit_head').set({ sequence: 1, hash }).where('workspace_id', '=', chain).execute()
    await writer.append(workspaceId, draft())
    expect(alarms).toEqual([[workspaceId, 3]])
  })

  describe('append: broken connections', () => {
    const isWrite = (packet: Buffer) => packet.includes('insert into audit_record') || packet.includes('from audit_append')
    const isCommit = (packet: Buffer) => packet.includes('commit\0')

    test.each<PacketOutcome>(['is lost', 'response is lost'])('stores a record exactly once when a write %s', async (fate) => {
      let faults = 2
      const pool = await openFlakyPool(database, (packet) =>
        (isWrite(packet) || isCommit(packet)) && faults-- > 0 ? fate : 'arrives',
      )
      const writer = writerOn({ pool })
      const records = await Promise.all(drafts(5).map((each) => writer.append(workspaceId, each)))
      const more = await writer.append(workspaceId, draft())
      expect(faults).toBeLessThanOrEqual(0)
      expect(await log()).toEqual([...records, more].map(({ id }) => id))
      await pool.close()
    })

    test('stores each acknowledged record once in an intact chain when connections break at random', {
      timeout: 240_000,
    }, async () => {
      // With fewer, a slow machine would give up a record.
      const giveUpAfterMs = 60_000
      const fates = fc.infiniteStream(
        fc.oneof(
          { weight: 8, arbitrary: fc.constant<PacketOutcome>('arrives') },
          fc.constantFrom<PacketOutcome>('is lost', 'response is lost'),
        ),
      )
      await fc.assert(
        fc.asyncProperty(fates, async (stream) => {
          ;({ workspaceId, keys } = await seedAuditedWorkspace(database.db))
          const pool = await openFlakyPool(database, (packet) =>
            packet.length < 20 && !isCommit(packet) ? 'arrives' : (stream.next().value as PacketOutcome),
          )
          const [writer, other] = [writerOn({ pool }, { giveUpAfterMs }), writerOn(otherNode, { giveUpAfterMs })]
          const results = await Promise.allSettled(
            Array.from({ length: 20 }, async (_, index) => {
              await new Promise((resolve) => setTimeout(resolve, index * 2))
              return (index % 3 === 0 ? other : writer).append(workspaceId, draft())
            }),
          )
          const written = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.id] : []))
          const inLog = await log()
          expect(new Set(inLog).size).toBe(inLog.length)
          expect(inLog).toEqual(expect.arrayContaining(written))
          expect(written).toHaveLength(20)
          await pool.close()
        }),
        { numRuns: 4 },
      )
    })

    test('rejects within the time limit and stores nothing when the database is unreachable', async () => {
      const pool = await openFlakyPool(database, () => 'is lost')
      const writer = writerOn({ pool }, { giveUpAfterMs: 300 })
      const failure = await writer.append(workspaceId, draft()).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(GatehouseError)
      expect(failure).toMatchObject(unavailable)
      expect(writer.waiting).toBe(0)
      // Those behind it in the queue have waited as long, and are not made to wait as long again.
      const one = writerOn({ pool }, { giveUpAfterMs: 300, maxGroup: 1 })
      const since = performance.now()
      const results = await Promise.allSettled(drafts(40).map((each) => one.append(workspaceId, each)))
      expect(performance.now() - since).toBeLessThan(8_000)
      expect(results.every(({ status }) => status === 'rejected')).toBe(true)
      expect(await log()).toEqual([])
      await pool.close()
    })

    test.skipIf(name === 'embedded')('writes records of other Workspaces when the chain of one is locked', async () => {
      const writer = writerOn(database, { statementTimeoutMs: 2_000, giveUpAfterMs: 5_000 })
      const held = workspaceId
      const elsewhere = (await seedWorkspace(database.db)).workspaceId
      await otherNode.db.transaction().execute(async (tx) => {
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
        await appendUnderLock(tx, held, [draft()], keys.hasher)
        const stuck = writer.append(held, draft())
        await expect(writer.append(elsewhere, testDraft(elsewhere))).resolves.toBeDefined()
        await expect(stuck).rejects.toMatchObject(unavailable)
      })
      await expect(writer.append(held, draft())).resolves.toBeDefined()
    })
  })
})
