import { generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { testDraft } from '../../../../test/support/audit.ts'
import { SIGNED_AT, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { newId, newUuid } from '../../../platform/lib/id.ts'
import type { StoredRecord } from '../audit-store.ts'
import { parseRecord, prepareRecord, sealRecord } from '../chain/chain.ts'
import { type Checkpoint, checkpointHash, parseFrontier, signCheckpoint } from '../checkpoints/checkpoint.ts'
import { findCheckpointAt } from '../checkpoints/checkpoint-store.ts'
import type { Frontier } from '../checkpoints/merkle.ts'
import { makeCheckpoint } from '../checkpoints/sign-checkpoints.ts'
import { type VerifyOptions, verifyWorkspace } from './verify.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const signWithAnotherKey = (text: string) => sign(null, Buffer.from(text), privateKey)

/** Twenty records; checkpoints after the eighth and the sixteenth. The changes are made with the secret key; those of tampering.test.ts are made without it. */
describe.each(testDatabases())('verifyWorkspace on $name', ({ open }) => {
  const log = useAuditLog(open, { groups: [8, 8, 4] })
  const verify = (options?: VerifyOptions) => log().verify(options)
  const expectFault = async (firstFault: object, kept: readonly Checkpoint[] = []) =>
    expect(await verify({ kept })).toMatchObject({ ok: false, firstFault })
  const idAt = (sequence: number) => log().ids[sequence - 1] as string

  test('succeeds when records with cached tokens follow those of a version that did not count them', async () => {
    const attempt = { provider: 'openai', model: 'small', status: 200, outcome: 'ok', ms: 1, prompt_tokens: 100 }
    await log().append(1, { attempts: [{ ...attempt, cache_read_tokens: 60, cache_write_1h_tokens: 7, cache_write_tokens: 9 }] })
    expect(await verify()).toMatchObject({ ok: true, records: 21 })
    expect((await log().editor.rowAt(20)).cache_read_tokens).toBeNull()
    expect((await log().editor.rowAt(21)).cache_read_tokens).toBe(60)
    await log().editor.change(21, { cache_read_tokens: null })
    await expectFault({ sequence: 21, reason: 'altered' })
  })

  test('names the record when a byte of its body was changed', async () => {
    const { body } = await log().editor.rowAt(5)
    await log().editor.change(5, { body: body.replace('"status":200', '"status":201') })
    expect(await verify()).toMatchObject({ ok: false, records: 4, firstFault: { sequence: 5, id: idAt(5), reason: 'altered' } })
  })

  test.each<[string, Partial<StoredRecord>]>([
    ['application_id', { application_id: newUuid() }],
    ['application_id (none)', { application_id: null }],
    ['created_at', { created_at: SIGNED_AT }],
    ['endpoint', { endpoint: 'models' }],
    ['verdict', { verdict: 'deny' }],
    ['verdict (none)', { verdict: null }],
    ['duration_ms', { duration_ms: 1 }],
    ['tokens', { tokens: 0 }],
    ['cost', { cost: 0.5 }],
    ['cache_read_tokens', { cache_read_tokens: 1 }],
    ['cost (none)', { cost: null }],
    ['risk_level', { risk_level: 'low' }],
    ['status', { status: 500 }],
    ['user_hash', { user_hash: null }],
    ['prev_hash', { prev_hash: Buffer.alloc(32) }],
    ['hash', { hash: Buffer.alloc(32) }],
    ['body (no JSON)', { body: 'gone' }],
    ['body (null)', { body: 'null' }],
    ['body (empty)', { body: '' }],
  ])('finds a changed column: %s', async (_, columns) => {
    await log().editor.change(11, columns)
    const firstFault = { sequence: 11, id: idAt(11), reason: 'altered' }
    expect(await verify()).toMatchObject({ ok: false, records: 10, firstFault })
  })

  test('finds a changed id, and a record moved to another Workspace', async () => {
    await log().editor.change(11, { id: newUuid() })
    await expectFault({ sequence: 11, reason: 'altered' })
    await log().editor.change(11, { workspace_id: (await log().createOther()).intruder.workspace })
    await expectFault({ sequence: 11, id: null, reason: 'missing' })
  })

  test.each([1, 5, 8, 9, 19, 20])('names record %i when it was forged with its hash', async (sequence) => {
    await log().editor.change(sequence, await log().editor.forge(sequence, { status: 403 }))
    // With the column alone: that makes it disagree with its body.
    await log().editor.change(sequence, { status: 403 })
    await expectFault({ sequence, id: idAt(sequence), reason: 'replaced' })
  })

  test('names the record when its link was forged with its hash', async () => {
    const { body, hash } = await log().editor.rowAt(6)
    const { integrity } = parseRecord(body, hash)
    const prev_hash = Buffer.alloc(32, 1)
    const forged = await log().editor.forge(6, { integrity: { ...integrity, prev_hash: prev_hash.toString('hex') } })
    await log().editor.change(6, { ...forged, prev_hash })
    await expectFault({ sequence: 6, id: idAt(6), reason: 'unlinked' })
  })

  test.each([1, 7, 8, 12, 20])('finds that record %i was deleted', async (sequence) => {
    await log().editor.removeRows(sequence, sequence)
    await expectFault({ sequence, id: null, reason: 'missing' })
  })

  test('names an inserted record when all later ones were moved', async () => {
    const before = await log().editor.rowAt(6)
    const { db, workspaceId, intruder, keys } = log()
    const prepared = prepareRecord(workspaceId, testDraft(workspaceId))
    const { body, hash, seal } = sealRecord(prepared, { sequence: 6, hash: before.hash }, keys.hasher)
    const shift = (to: string, from: string) =>
      sql`update audit_record set sequence = ${sql.raw(to)} where workspace_id = ${intruder.workspace} and sequence ${sql.raw(from)}`
    await shift('-(sequence + 1)', '> 6').execute(db)
    await shift('-sequence', '< 0').execute(db)
    const { id } = prepared.draft
    const columns = { id: uuidOf('aud', id), application_id: prepared.applicationUuid, sequence: 7, prev_hash: before.hash }
    await db
      .insertInto('audit_record')
      .values({ ...before, ...columns, body, hash, seal })
      .execute()
    await log().editor.setHead(21, (await log().editor.rowAt(21)).hash)
    expect(await verify()).toMatchObject({ ok: false, records: 7, firstFault: { sequence: 7, id, reason: 'replaced' } })
  })

  test.each([21, 0, -3, 900])('finds an unexpected record with sequence %i', async (sequence) => {
    const copied = { ...(await log().editor.rowAt(20)), id: newUuid(), sequence }
    await log().db.insertInto('audit_record').values(copied).execute()
    await expectFault({ sequence, reason: 'unexpected' })
  })

  test('finds two swapped records', async () => {
    const [third, fifth] = [await log().editor.rowAt(3), await log().editor.rowAt(5)]
    await log().editor.change(3, { sequence: -1 })
    await log().editor.change(5, { sequence: 3 })
    await log().editor.change(-1, { sequence: 5 })
    expect(await verify()).toMatchObject({ ok: false, records: 2, firstFault: { sequence: 3, id: idAt(5) } })
    await log().editor.change(3, { ...third, id: newUuid() })
    await log().editor.change(5, { ...fifth, id: third.id })
    expect(await verify()).toMatchObject({ ok: false, records: 2, firstFault: { sequence: 3 } })
  })

  test('finds a missing tail, by its checkpoint when the end was moved back', async () => {
    await log().editor.removeRows(18, 20)
    expect(await verify()).toMatchObject({ ok: false, records: 17, firstFault: { sequence: 18, id: null, reason: 'missing' } })
    await log().editor.removeRows(13, 17)
    await log().editor.setHead(12, (await log().editor.rowAt(12)).hash)
    expect(await verify()).toMatchObject({ ok: false, records: 12, firstFault: { sequence: 13, id: null, reason: 'missing' } })
  })

  test('finds a missing tail by a kept checkpoint when its checkpoints were removed', async () => {
    const kept = (await findCheckpointAt(log().db, log().workspaceId, 16)) as Checkpoint
    await log().editor.removeRows(13, 20)
    await log().editor.setHead(12, (await log().editor.rowAt(12)).hash)
    await log().intruder.deleteCheckpoints(8)
    const last = (await findCheckpointAt(log().db, log().workspaceId, 8)) as Checkpoint
    await log().editor.changeSeal({ size: last.size, hash: last.hash, checkpoint: checkpointHash(last) })
    expect(await verify()).toMatchObject({ ok: true, records: 12 })
    await expectFault({ sequence: 13, id: null, reason: 'missing' }, [kept])
  })

  test('finds an altered end of the chain', async () => {
    await log().editor.setHead(20, Buffer.alloc(32))
    await expectFault({ sequence: 20, id: idAt(20), reason: 'replaced' })
    await log().editor.setHead(19, (await log().editor.rowAt(19)).hash)
    await expectFault({ sequence: 20, id: idAt(20), reason: 'unexpected' })
    await log().db.deleteFrom('audit_head').where('workspace_id', '=', log().intruder.workspace).execute()
    await expectFault({ sequence: 0, reason: 'chain_end_missing' })
  })

  test('accepts removed oldest records only when the seal names them and they end at a checkpoint', async () => {
    await log().editor.removeRows(1, 8)
    await expectFault({ sequence: 1, through: 8, id: null, reason: 'missing' })
    await log().editor.changeSeal({ pruned: 8 })
    expect(await verify()).toMatchObject({ ok: true, first: 9, records: 12 })
    await log().editor.removeRows(9, 9)
    await expectFault({ sequence: 9, id: null, reason: 'missing' })
    await log().editor.changeSeal({ pruned: 9 })
    await expectFault({ sequence: 1, through: 9, id: null, reason: 'missing' })
  })

  test('names any record that was changed in any way', async () => {
    const kinds = ['body', 'forge', 'delete', 'column'] as const
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 20 }), fc.constantFrom(...kinds), async (sequence, kind) => {
        const original = await log().editor.rowAt(sequence)
        if (kind === 'body') await log().editor.change(sequence, { body: `${original.body} ` })
        else if (kind === 'forge') await log().editor.change(sequence, await log().editor.forge(sequence, { duration_ms: 0 }))
        else if (kind === 'delete') await log().editor.removeRows(sequence, sequence)
        else await log().editor.change(sequence, { user_hash: 'b'.repeat(64) })
        expect((await verify()).firstFault?.sequence).toBe(sequence)
        if (kind === 'delete') await log().db.insertInto('audit_record').values(original).execute()
        else await log().editor.change(sequence, original)
        expect((await verify()).ok).toBe(true)
      }),
      { numRuns: 12 },
    )
  })

  test('succeeds while the log grows and is signed', async () => {
    const writing = (async () => {
      for (let round = 0; round < 10; round++) {
        await log().append(3)
        await log().sign()
      }
    })()
    for (let round = 0; round < 10; round++) expect(await verify()).toMatchObject({ ok: true })
    await writing
    expect(await verify()).toMatchObject({ ok: true, records: 50, signedThrough: 50 })
  })

  test('succeeds for an empty log and throws for an unknown Workspace', async () => {
    const empty = { ok: true, records: 0, checkpoints: 0, first: 1, signedThrough: 0 }
    expect(await (await log().createOther()).verify()).toEqual(empty)
    await expect(verifyWorkspace(log().db, newId('ws'), log().keys)).rejects.toThrow('has no audit chain')
  })

  test.each([
    [1, 1, 8],
    [4, 1, 8],
    [11, 9, 16],
  ])('reports the smallest signed subtree when the log was resealed from record %i on', async (from, sequence, through) => {
    await log().editor.rechain(from)
    await expectFault({ sequence, through, id: idAt(sequence), reason: 'not_as_signed' })
  })

  test('names the last covered record when the log was resealed from it on', async () => {
    await log().editor.rechain(8)
    await expectFault({ sequence: 8, id: idAt(8), reason: 'replaced' })
  })

  test('finds resealed records when the last checkpoint was removed', async () => {
    const kept = (await log().sign()) as Checkpoint
    await log().intruder.deleteCheckpoints(19)
    await log().editor.rechain(18)
    const firstFault = { sequence: 17, through: 20, reason: 'not_as_signed' }
    await expectFault(firstFault)
    await expectFault(firstFault, [kept])
  })

  test('finds a checkpoint signed with another key', async () => {
    await log().editor.rechain(17)
    await makeCheckpoint(log().db, log().workspaceId, { ...log().keys, sign: signWithAnotherKey }, { now: () => SIGNED_AT })
    await expectFault({ sequence: 20, id: idAt(20), reason: 'checkpoint_altered' })
  })

  test.each<[string, object]>([
    ['root', { root: Buffer.alloc(32) }],
    ['head_hash', { head_hash: Buffer.alloc(32) }],
    ['signature', { signature: Buffer.alloc(64) }],
    ['signature (empty)', { signature: Buffer.alloc(0) }],
    ['frontier', { frontier: Buffer.alloc(32) }],
    ['frontier (empty)', { frontier: Buffer.alloc(0) }],
    ['created_at', { created_at: new Date(0) }],
  ])('finds a changed %s of a checkpoint', async (_, columns) => {
    await log().intruder.changeCheckpoint(8, columns)
    await expectFault({ sequence: 8, id: idAt(8), reason: 'checkpoint_altered' })
    await log().intruder.changeCheckpoint(16, columns)
    await expect(log().sign()).rejects.toThrow('altered')
  })

  test('finds a checkpoint with a changed size', async () => {
    await log().intruder.changeCheckpoint(8, { size: 9 })
    await expectFault({ sequence: 9, id: idAt(9), reason: 'checkpoint_altered' })
  })

  test('checks the signature of kept checkpoints', async () => {
    const good = (await findCheckpointAt(log().db, log().workspaceId, 16)) as Checkpoint
    expect(await verify({ kept: [good] })).toMatchObject({ ok: true })
    const kept = signCheckpoint(good, parseFrontier(good) as Frontier, signWithAnotherKey, good.previous.hash)
    await expectFault({ sequence: 16, reason: 'checkpoint_altered' }, [kept])
  })
})
