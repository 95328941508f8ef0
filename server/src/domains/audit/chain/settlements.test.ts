import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { seedAuditedWorkspace, testDraft } from '../../../../test/support/audit.ts'
import { separateDatabases } from '../../../../test/support/fresh-database.ts'
import type { Tx } from '../../../platform/db/database.ts'
import type { WorkspaceKeys } from '../workspace-keys.ts'
import { appendInTransaction } from './append-in-transaction.ts'
import { auditedTransaction } from './audited-transaction.ts'
import { AuditWriter } from './writer.ts'

describe.each(separateDatabases())('settlements of budgets on $name', async ({ open }) => {
  let workspaceId: string
  let keys: WorkspaceKeys
  const fresh = await open()
  const { db } = fresh.database
  await sql`create table settled (item text not null)`.execute(db)
  await sql`create or replace function budget_settle(p_workspace uuid, p_settlements jsonb) returns void language sql as $function$
    insert into settled select jsonb_array_elements_text(p_settlements) from workspace where id = p_workspace
  $function$`.execute(db)
  afterAll(() => fresh.remove())
  beforeEach(async () => {
    ;({ workspaceId, keys } = await seedAuditedWorkspace(fresh.database.db))
    await sql`delete from settled`.execute(fresh.database.db)
  })

  const settled = async (): Promise<string[]> => {
    const { rows } = await sql<{ item: string }>`select item from settled order by item`.execute(fresh.database.db)
    return rows.map(({ item }) => item)
  }
  const writerWith = (usesGroups: boolean) => new AuditWriter(fresh.database, { findSealer: async () => keys.hasher, usesGroups })

  describe.each([false, true])('in groups: %j', (usesGroups) => {
    test('append: applies each settlement once, together with its record', async () => {
      const writer = writerWith(usesGroups)
      const append = (settlements: readonly string[]) => writer.append(workspaceId, testDraft(workspaceId), { settlements })
      await append(['a'])
      await Promise.all([append(['b', 'c']), append([]), append(['d'])])
      expect(await settled()).toEqual(['a', 'b', 'c', 'd'])
    })

    test('append: applies no settlement of a record that is rejected', async () => {
      const writer = writerWith(usesGroups)
      const draft = testDraft(workspaceId)
      await writer.append(workspaceId, draft, { settlements: ['a'] })
      const twice = writer.append(workspaceId, { ...draft, status: 418 }, { settlements: ['b'] })
      const other = writer.append(workspaceId, testDraft(workspaceId), { settlements: ['c'] })
      await expect(twice).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      await other
      expect(await settled()).toEqual(['a', 'c'])
    })

    test('appendInTransaction: applies settlements in the transaction', async () => {
      const deps = { db: fresh.database.db, audit: writerWith(usesGroups) }
      const append = (tx: Tx, item: string) =>
        appendInTransaction(tx, workspaceId, [testDraft(workspaceId)], keys.hasher, { settlements: [item] })
      await auditedTransaction(deps, (tx) => append(tx, 'a'))
      const failing = auditedTransaction(deps, async (tx) => {
        await append(tx, 'b')
        throw new Error('something else failed')
      })
      await expect(failing).rejects.toThrow('something else failed')
      expect(await settled()).toEqual(['a'])
    })
  })
})
