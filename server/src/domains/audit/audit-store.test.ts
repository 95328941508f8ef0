import { describe, expect, test } from 'vitest'
import { assertNoContent, seedAuditedWorkspace, testDraft } from '../../../test/support/audit.ts'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { newId } from '../../platform/lib/id.ts'
import { findRecord, streamRecords } from './audit-store.ts'
import { appendUnderLock } from './chain/append-in-transaction.ts'
import type { AuditDraft, AuditRecord } from './record/record.ts'

describe.each(testDatabases())('audit store on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const { workspaceId, keys } = await seedAuditedWorkspace(database.db)
  const append = (...drafts: AuditDraft[]): Promise<AuditRecord[]> =>
    database.db.transaction().execute((tx) => appendUnderLock(tx, workspaceId, drafts, keys.hasher))
  const draft = (change?: Partial<AuditDraft>) => testDraft(workspaceId, change)

  test('appendUnderLock: stores no record when the transaction is rolled back', async () => {
    const lost = draft()
    const rolledBack = database.db.transaction().execute(async (tx) => {
      await appendUnderLock(tx, workspaceId, [lost], keys.hasher)
      throw new Error('something else failed')
    })
    await expect(rolledBack).rejects.toThrow('something else failed')
    const [kept] = await append(draft())
    expect(kept?.integrity.sequence).toBe(1)
    expect(await findRecord(database.db, { workspaceId }, lost.id)).toBeUndefined()
    expect(await findRecord(database.db, { workspaceId }, kept?.id ?? '')).toEqual(kept)
  })

  test('findRecord: returns the appended record when it contains text that needs escaping', async () => {
    const odd = 'ra\'te "\\\\x" {a,b} NULL \u0000 \u{1f600} \n'
    const [record] = await append(draft({ user: { id: null, verified: false, role: odd, department: '' }, application_id: null }))
    expect(await findRecord(database.db, { workspaceId }, record?.id ?? '')).toEqual(record)
  })

  test('appendUnderLock: rejects a duplicate id', async () => {
    const once = draft()
    await append(once)
    await expect(append(once)).rejects.toThrow()
    const [next] = await append(draft())
    expect(next?.integrity.sequence).toBeGreaterThan(1)
  })

  test('streamRecords: returns the oldest first', async () => {
    await append(...Array.from({ length: 6 }, () => draft()))
    const sequences: number[] = []
    const stream = streamRecords(database.db, workspaceId, { after: 2, through: 5 })
    for await (const { integrity } of stream) sequences.push(integrity.sequence)
    expect(sequences).toEqual([3, 4, 5])
  })
})

test('assertNoContent: finds content in each encoding', () => {
  const secret = 'the merger is on Friday "ünlike" us'
  const plain = testDraft(newId('ws'))
  const guises = [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret), Buffer.from(secret).toString('hex')]
  for (const guise of guises)
    expect(() => assertNoContent({ ...plain, features: { guise } }, [secret])).toThrow('contains this text')
  expect(() => assertNoContent(plain, [secret])).not.toThrow()
})
