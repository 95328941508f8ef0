import { beforeAll, describe, expect, test } from 'vitest'
import { assertNoContent, seedAuditedWorkspace, testDraft } from '../../../test/support/audit.ts'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { newId } from '../../platform/lib/id.ts'
import { findRecord, streamRecords } from './audit-store.ts'
import { appendUnderLock } from './chain/append-in-transaction.ts'
import { type AuditDraft, type AuditRecord, createChangeDraft } from './record/record.ts'
import { searchRecords } from './search-records.ts'

describe.each(testDatabases())('audit store on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  let { workspaceId, keys } = await seedAuditedWorkspace(database.db)
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

  test('findRecord: returns undefined when the id is absent, malformed or belongs to another Application', async () => {
    const [own, other, otherWorkspaceId] = [newId('app'), newId('app'), (await seedWorkspace(database.db)).workspaceId]
    const [record] = await append(draft({ application_id: own }))
    const id = record?.id ?? ''
    const find = (owner: { workspaceId: string; applicationId?: string }, wanted = id) => findRecord(database.db, owner, wanted)
    expect(await find({ workspaceId, applicationId: own })).toEqual(record)
    expect(await find({ workspaceId, applicationId: other })).toBeUndefined()
    expect(await find({ workspaceId: otherWorkspaceId })).toBeUndefined()
    expect(await find({ workspaceId, applicationId: own }, newId('aud'))).toBeUndefined()
    expect(await find({ workspaceId, applicationId: own }, "aud_' or 1=1")).toBeUndefined()
  })

  test("an operator's change belongs to no Application and names fields, never values", async () => {
    const change = { action: 'key.revoke', object_type: 'key', object_id: newId('key'), fields: ['revoked_at'] }
    const at = new Date('2026-01-02T03:04:05.678Z')
    const [record] = await append(createChangeDraft({ id: newId('aud'), workspaceId, at, actor: 'f'.repeat(64), change }))
    expect(record).toMatchObject({ endpoint: 'admin', application_id: null, stages: [], change })
    expect(await findRecord(database.db, { workspaceId }, record?.id ?? '')).toEqual(record)
  })

  test('appendUnderLock: rejects a duplicate id', async () => {
    const once = draft()
    await append(once)
    await expect(append(once)).rejects.toThrow()
    const [next] = await append(draft())
    expect(next?.integrity.sequence).toBeGreaterThan(1)
  })

  describe('searchRecords', () => {
    const [app, user] = [newId('app'), 'e'.repeat(64)]
    let records: AuditRecord[]

    beforeAll(async () => {
      ;({ workspaceId, keys } = await seedAuditedWorkspace(database.db))
      const base = draft()
      const decided = (verdict: 'allow' | 'deny') => base.decision && { ...base.decision, verdict }
      records = await append(
        ...Array.from({ length: 12 }, (_, index) =>
          draft({
            created_at: `2026-01-02T03:04:${String(index).padStart(2, '0')}.000Z`,
            application_id: index % 2 === 0 ? app : newId('app'),
            user: { ...base.user, id: index % 3 === 0 ? user : null },
            decision: index === 5 ? null : decided(index % 4 === 0 ? 'deny' : 'allow'),
            risk_level: index > 8 ? 'high' : 'low',
            endpoint: index === 7 ? 'models' : 'chat',
            status: index === 3 ? 502 : 200,
          }),
        ),
      )
    })

    const found = async (filter: Partial<Parameters<typeof searchRecords>[2]>) =>
      (await searchRecords(database.db, workspaceId, { limit: 100, ...filter })).data.map(({ id }) =>
        records.findIndex((record) => record.id === id),
      )
    const second = (index: number) => new Date(`2026-01-02T03:04:${String(index).padStart(2, '0')}.000Z`)

    test('applies each filter and returns the newest first', async () => {
      expect(await found({})).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
      expect(await found({ from: second(9) })).toEqual([11, 10, 9])
      expect(await found({ to: second(2) })).toEqual([1, 0])
      expect(await found({ applicationId: app })).toEqual([10, 8, 6, 4, 2, 0])
      expect(await found({ userHashes: [user ?? ''] })).toEqual([9, 6, 3, 0])
      expect(await found({ verdicts: ['deny'] })).toEqual([8, 4, 0])
      expect(await found({ riskLevel: 'high' })).toEqual([11, 10, 9])
      expect(await found({ endpoint: 'models' })).toEqual([7])
      expect(await found({ status: { from: 502, to: 502 } })).toEqual([3])
      expect(await found({ status: { from: 500, to: 599 } })).toEqual([3])
      expect(await found({ status: { from: 400, to: 499 } })).toEqual([])
      expect(await found({ applicationId: app, userHashes: [user ?? ''], from: second(1), to: second(11) })).toEqual([6])
      expect(await found({ applicationId: newId('app') })).toEqual([])
    })

    test('neither repeats nor omits records when records are added between pages', async () => {
      const seen: string[] = []
      let below: number | undefined
      for (let hasMore = true; hasMore; ) {
        const page = await searchRecords(database.db, workspaceId, { limit: 5, ...(below !== undefined && { below }) })
        seen.push(...page.data.map(({ id }) => id))
        hasMore = page.hasMore
        below = page.data.at(-1)?.integrity.sequence
        await append(draft())
      }
      expect(seen).toEqual(records.map(({ id }) => id).toReversed())
    })

    test('streamRecords: returns the oldest first', async () => {
      const sequences: number[] = []
      const stream = streamRecords(database.db, workspaceId, { after: 2, through: 5 })
      for await (const { integrity } of stream) sequences.push(integrity.sequence)
      expect(sequences).toEqual([3, 4, 5])
    })
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
