import { generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { asOlderVersion, seedAuditedWorkspace, testDraft } from '../../test/support/audit.ts'
import { testDatabases } from '../../test/support/database.ts'
import type { Database } from '../db/database.ts'
import { newId, newUuid } from '../lib/id.ts'
import { appendInTransaction, recordPages, type StoredRecord } from './audit-store.ts'
import { bodyHash, bodyOf, parseRecord, prepare, seal, uuidOf } from './chain.ts'
import { type Checkpoint, frontierOf, signCheckpoint } from './checkpoint.ts'
import { checkpointAt } from './checkpoint-store.ts'
import type { AuditRecord } from './record.ts'
import { makeCheckpoint } from './sign-checkpoints.ts'
import { type VerifyOptions, verifyWorkspace } from './verify.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

const NOW = new Date('2026-03-01T00:00:00.000Z')

/** Twenty records; checkpoints after the eighth and the sixteenth. Without the seals of tampering.test.ts, which tell more. */
describe.each(testDatabases())('a log that was tampered with on $name', ({ open }) => {
  let database: Database
  let workspaceId: string
  let workspace: string
  let keys: WorkspaceKeys
  let ids: string[]

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    ;({ workspaceId, keys } = await seedAuditedWorkspace(database.db))
    workspace = uuidOf('ws', workspaceId)
    ids = []
    for (const count of [8, 8, 4]) {
      await append(count)
      if (count === 8) await makeCheckpoint(database.db, workspaceId, keys, NOW)
    }
    await asOlderVersion(database.db, workspaceId)
  })

  async function append(count: number): Promise<void> {
    const drafts = Array.from({ length: count }, () => testDraft(workspaceId))
    ids.push(...drafts.map(({ id }) => id))
    await database.db.transaction().execute((tx) => appendInTransaction(tx, workspaceId, drafts, keys.hasher))
  }
  const verify = (options?: VerifyOptions) => verifyWorkspace(database.db, workspaceId, keys, options)
  const idAt = (sequence: number) => ids[sequence - 1] as string
  const change = (sequence: number, columns: Partial<StoredRecord>) =>
    database.db
      .updateTable('audit_record')
      .set(columns as object)
      .where('workspace_id', '=', workspace)
      .where('sequence', '=', sequence)
      .execute()
  const remove = (from: number, to: number) =>
    database.db
      .deleteFrom('audit_record')
      .where('workspace_id', '=', workspace)
      .where('sequence', '>=', from)
      .where('sequence', '<=', to)
      .execute()
  const setHead = (sequence: number, hash: Buffer) =>
    database.db.updateTable('audit_head').set({ sequence, hash }).where('workspace_id', '=', workspace).execute()
  async function rows(): Promise<StoredRecord[]> {
    const all: StoredRecord[] = []
    for await (const page of recordPages(database.db, workspaceId, { after: 0, through: 1e9 })) all.push(...page)
    return all
  }
  const rowAt = async (sequence: number) => (await rows()).find((row) => row.sequence === sequence) as StoredRecord

  /** What somebody would do who can write to the database and knows how the chain is made. */
  async function forge(sequence: number, change: Partial<AuditRecord>): Promise<{ body: string; hash: Buffer }> {
    const { body, hash } = await rowAt(sequence)
    const forged = bodyOf({ ...parseRecord(body, hash), ...change })
    return { body: forged, hash: bodyHash(forged) }
  }

  /** Changes a record and seals it and all later ones anew, the chain's end included. */
  async function rechain(from: number): Promise<void> {
    const later = (await rows()).filter(({ sequence }) => sequence >= from)
    let end = { sequence: from - 1, hash: (later[0] as StoredRecord).prev_hash }
    for (const row of later) {
      const { integrity: _, ...draft } = parseRecord(row.body, row.hash)
      const sealed = seal(prepare(workspaceId, row.sequence === from ? { ...draft, duration_ms: 1 } : draft), end, keys.hasher)
      const { duration_ms } = sealed.prepared.draft
      await change(row.sequence, { body: sealed.body, prev_hash: sealed.prevHash, hash: sealed.hash, duration_ms })
      end = sealed
    }
    await setHead(end.sequence, end.hash)
  }

  test('untouched, it verifies', async () => {
    expect(await verify()).toEqual({ ok: true, records: 20, checkpoints: 2, first: 1, signedThrough: 16 })
  })

  test('a byte flipped in a body: that record is named', async () => {
    const { body } = await rowAt(5)
    await change(5, { body: body.replace('"status":200', '"status":201') })
    expect(await verify()).toMatchObject({ ok: false, records: 4, firstBad: { sequence: 5, id: idAt(5), reason: 'altered' } })
  })

  test.each<[string, Partial<StoredRecord>]>([
    ['application_id', { application_id: newUuid() }],
    ['application_id (none)', { application_id: null }],
    ['created_at', { created_at: NOW }],
    ['endpoint', { endpoint: 'models' }],
    ['verdict', { verdict: 'deny' }],
    ['verdict (none)', { verdict: null }],
    ['duration_ms', { duration_ms: 1 }],
    ['tokens', { tokens: 0 }],
    ['cost', { cost: 0.5 }],
    ['cost (none)', { cost: null }],
    ['risk_level', { risk_level: 'low' }],
    ['status', { status: 500 }],
    ['user_hash', { user_hash: null }],
    ['prev_hash', { prev_hash: Buffer.alloc(32) }],
    ['hash', { hash: Buffer.alloc(32) }],
    ['body (no JSON)', { body: 'gone' }],
    ['body (null)', { body: 'null' }],
    ['body (empty)', { body: '' }],
  ])('a changed column cannot mislead a search unseen: %s', async (_, columns) => {
    await change(11, columns)
    expect(await verify()).toMatchObject({ ok: false, records: 10, firstBad: { sequence: 11, id: idAt(11), reason: 'altered' } })
  })

  test('an id changed so that the record is not found', async () => {
    await change(11, { id: newUuid() })
    expect(await verify()).toMatchObject({ firstBad: { sequence: 11, reason: 'altered' } })
  })

  test('another Workspace given to a record', async () => {
    const elsewhere = await seedAuditedWorkspace(database.db)
    await change(11, { workspace_id: uuidOf('ws', elsewhere.workspaceId) })
    expect(await verify()).toMatchObject({ firstBad: { sequence: 11, id: null, reason: 'missing' } })
  })

  test.each([1, 5, 8, 9, 19, 20])(
    'record %i forged together with its own hash: it is named, not the one after it',
    async (sequence) => {
      await change(sequence, await forge(sequence, { status: 403 }))
      // With the column alone: that makes it disagree with its body.
      await change(sequence, { status: 403 })
      expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence, id: idAt(sequence), reason: 'replaced' } })
    },
  )

  test('a link forged together with its hash: the record that holds the link is named', async () => {
    const { body, hash } = await rowAt(6)
    const { integrity } = parseRecord(body, hash)
    const prev_hash = Buffer.alloc(32, 1)
    const forged = await forge(6, { integrity: { ...integrity, prev_hash: prev_hash.toString('hex') } })
    await change(6, { ...forged, prev_hash })
    expect(await verify()).toMatchObject({ firstBad: { sequence: 6, id: idAt(6), reason: 'unlinked' } })
  })

  test.each([1, 7, 8, 12, 20])('record %i deleted', async (sequence) => {
    await remove(sequence, sequence)
    const start = sequence === 1 ? { through: 1 } : {}
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence, ...start, id: null, reason: 'missing' } })
  })

  test('a forged record inserted, all later ones moved up', async () => {
    const before = await rowAt(6)
    const forged = seal(prepare(workspaceId, testDraft(workspaceId)), { sequence: 6, hash: before.hash }, keys.hasher)
    const shift = (sign: string, step: number, from: number) =>
      sql`update audit_record set sequence = ${sql.raw(sign)}(sequence + ${sql.lit(step)})
        where workspace_id = ${workspace} and sequence ${sql.raw(from > 0 ? `> ${from}` : '< 0')}`.execute(database.db)
    await shift('-', 1, 6)
    await shift('-', 0, 0)
    const { id } = forged.prepared.draft
    await database.db
      .insertInto('audit_record')
      .values({
        ...before,
        id: uuidOf('aud', id),
        application_id: forged.prepared.applicationUuid,
        sequence: 7,
        body: forged.body,
        prev_hash: before.hash,
        hash: forged.hash,
      })
      .execute()
    await setHead(21, (await rowAt(21)).hash)
    expect(await verify()).toMatchObject({ ok: false, records: 7, firstBad: { sequence: 7, id, reason: 'replaced' } })
  })

  test.each([21, 0, -3, 900])('a record put where none should be: sequence %i', async (sequence) => {
    const copied = await rowAt(20)
    await database.db
      .insertInto('audit_record')
      .values({ ...copied, id: newUuid(), sequence })
      .execute()
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence, reason: 'unexpected' } })
  })

  test('two records swapped', async () => {
    const [third, fifth] = [await rowAt(3), await rowAt(5)]
    await change(3, { sequence: -1 })
    await change(5, { sequence: 3 })
    await change(-1, { sequence: 5 })
    expect(await verify()).toMatchObject({ ok: false, records: 2, firstBad: { sequence: 3, id: idAt(5) } })
    await change(3, { ...third, id: newUuid() })
    await change(5, { ...fifth, id: third.id })
    expect(await verify()).toMatchObject({ ok: false, records: 2, firstBad: { sequence: 3 } })
  })

  test('the tail cut off', async () => {
    await remove(18, 20)
    expect(await verify()).toMatchObject({ ok: false, records: 17, firstBad: { sequence: 18, id: null, reason: 'missing' } })
  })

  test('the tail cut off and the end moved back: the next checkpoint tells', async () => {
    await remove(13, 20)
    await setHead(12, (await rowAt(12)).hash)
    expect(await verify()).toMatchObject({ ok: false, records: 12, firstBad: { sequence: 13, id: null, reason: 'missing' } })
  })

  test('the tail cut off, the end moved back, the checkpoints removed: one that was kept elsewhere tells', async () => {
    const kept = (await checkpointAt(database.db, workspaceId, 16)) as Checkpoint
    await remove(13, 20)
    await setHead(12, (await rowAt(12)).hash)
    await database.db.deleteFrom('audit_checkpoint').where('workspace_id', '=', workspace).where('size', '>', 8).execute()
    expect(await verify()).toMatchObject({ ok: true, records: 12 })
    expect(await verify({ kept: [kept] })).toMatchObject({ ok: false, firstBad: { sequence: 13, id: null, reason: 'missing' } })
  })

  test('everything removed', async () => {
    await remove(1, 20)
    await setHead(0, Buffer.alloc(32))
    expect(await verify()).toMatchObject({ ok: false, records: 0, firstBad: { sequence: 1, reason: 'missing' } })
  })

  test('the end itself altered', async () => {
    await setHead(20, Buffer.alloc(32))
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 20, id: idAt(20), reason: 'replaced' } })
    await setHead(19, (await rowAt(19)).hash)
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 20, id: idAt(20), reason: 'unexpected' } })
    await database.db.deleteFrom('audit_head').where('workspace_id', '=', workspace).execute()
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 0, reason: 'chain_end_missing' } })
  })

  test.each([
    { from: 1, first: 1, through: 8 },
    { from: 4, first: 1, through: 8 },
    { from: 11, first: 9, through: 16 },
  ])('sealed anew from record $from on: the signatures tell, as near as the tree can', async ({ from, first, through }) => {
    await rechain(from)
    expect(await verify()).toMatchObject({
      ok: false,
      firstBad: { sequence: first, through, id: idAt(first), reason: 'not_as_signed' },
    })
  })

  test('sealed anew from the last record on that a checkpoint covers: it is named', async () => {
    await rechain(8)
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 8, id: idAt(8), reason: 'replaced' } })
  })

  test('sealed anew behind the last checkpoint, which was removed: the seal tells, and one that was kept elsewhere', async () => {
    const kept = (await makeCheckpoint(database.db, workspaceId, keys, NOW)) as Checkpoint
    await database.db.deleteFrom('audit_checkpoint').where('workspace_id', '=', workspace).where('size', '=', 20).execute()
    await rechain(18)
    const firstBad = { sequence: 17, through: 20, reason: 'not_as_signed' }
    expect(await verify()).toMatchObject({ ok: false, firstBad })
    expect(await verify({ kept: [kept] })).toMatchObject({ firstBad })
  })

  test('sealed and signed anew with another key', async () => {
    await rechain(11)
    const { privateKey } = generateKeyPairSync('ed25519')
    const old = (await checkpointAt(database.db, workspaceId, 16)) as Checkpoint
    await database.db.deleteFrom('audit_checkpoint').where('workspace_id', '=', workspace).where('size', '=', 16).execute()
    await makeCheckpoint(database.db, workspaceId, { ...keys, sign: (text) => sign(null, Buffer.from(text), privateKey) }, NOW)
    expect(old.size).toBe(16)
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 20, id: idAt(20), reason: 'checkpoint_altered' } })
  })

  test.each<[string, object]>([
    ['root', { root: Buffer.alloc(32) }],
    ['head_hash', { head_hash: Buffer.alloc(32) }],
    ['signature', { signature: Buffer.alloc(64) }],
    ['signature (empty)', { signature: Buffer.alloc(0) }],
    ['frontier', { frontier: Buffer.alloc(32) }],
    ['frontier (empty)', { frontier: Buffer.alloc(0) }],
    ['created_at', { created_at: new Date(0) }],
  ])('an altered checkpoint: %s', async (_, columns) => {
    const rows = database.db.updateTable('audit_checkpoint').set(columns).where('workspace_id', '=', workspace)
    await rows.where('size', '=', 8).execute()
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 8, id: idAt(8), reason: 'checkpoint_altered' } })
    await rows.where('size', '=', 16).execute()
    await expect(makeCheckpoint(database.db, workspaceId, keys, NOW)).rejects.toThrow('altered')
  })

  test('a checkpoint moved to another size', async () => {
    await database.db
      .updateTable('audit_checkpoint')
      .set({ size: 9 })
      .where('workspace_id', '=', workspace)
      .where('size', '=', 8)
      .execute()
    expect(await verify()).toMatchObject({ firstBad: { sequence: 9, id: idAt(9), reason: 'checkpoint_altered' } })
  })

  test('the oldest records removed, as if by retention', async () => {
    await remove(1, 8)
    expect(await verify()).toMatchObject({ ok: true, first: 9, records: 12 })
    const firstBad = { sequence: 1, through: 8, id: null, reason: 'missing' }
    expect(await verify({ completeSince: new Date(NOW.getTime() - 1) })).toMatchObject({ ok: false, firstBad })
    expect(await verify({ completeSince: new Date(NOW.getTime() + 1) })).toMatchObject({ ok: true })
    await remove(9, 9)
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 1, through: 9, id: null, reason: 'missing' } })
  })

  test('any one record, in any way: it is the one named', async () => {
    const kinds = ['body', 'forge', 'delete', 'column'] as const
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 20 }), fc.constantFrom(...kinds), async (sequence, kind) => {
        const original = await rowAt(sequence)
        if (kind === 'body') await change(sequence, { body: `${original.body} ` })
        else if (kind === 'forge') await change(sequence, await forge(sequence, { duration_ms: 0 }))
        else if (kind === 'delete') await remove(sequence, sequence)
        else await change(sequence, { user_hash: 'b'.repeat(64) })
        expect((await verify()).firstBad?.sequence).toBe(sequence)
        if (kind === 'delete') await database.db.insertInto('audit_record').values(original).execute()
        else await change(sequence, original)
        expect((await verify()).ok).toBe(true)
      }),
      { numRuns: 12 },
    )
  })

  test('a log that grows and is signed while it is read is no tampering', async () => {
    const writing = (async () => {
      for (let round = 0; round < 10; round++) {
        await append(3)
        await makeCheckpoint(database.db, workspaceId, keys, NOW)
      }
    })()
    for (let round = 0; round < 10; round++) expect(await verify()).toMatchObject({ ok: true })
    await writing
    expect(await verify()).toMatchObject({ ok: true, records: 50, signedThrough: 50 })
  })

  test('an empty log verifies, and one that was only begun', async () => {
    const begun = await seedAuditedWorkspace(database.db)
    const result = await verifyWorkspace(database.db, begun.workspaceId, begun.keys)
    expect(result).toEqual({ ok: true, records: 0, checkpoints: 0, first: 1, signedThrough: 0 })
    await expect(verifyWorkspace(database.db, newId('ws'), keys)).rejects.toThrow('has no audit chain')
  })

  test('a kept checkpoint is checked itself', async () => {
    const good = (await checkpointAt(database.db, workspaceId, 16)) as Checkpoint
    expect(await verify({ kept: [good] })).toMatchObject({ ok: true })
    const frontier = frontierOf(good)
    const other = generateKeyPairSync('ed25519')
    const kept = frontier && signCheckpoint(good, frontier, (text) => sign(null, Buffer.from(text), other.privateKey))
    expect(await verify({ kept: [kept as Checkpoint] })).toMatchObject({
      firstBad: { sequence: 16, reason: 'checkpoint_altered' },
    })
  })
})
