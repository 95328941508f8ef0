import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { seedApplication, seedWorkspace } from '../../../test/support/seed.ts'
import { fromId, newId } from '../../platform/lib/id.ts'
import { checker } from '../../platform/lib/schema.ts'
import { ApiKeyCreate, apiKeyView } from './api-key.ts'
import { findKeyByHash, issueKey, type KeyOwner, listKeys, revokeKey } from './api-key-store.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const LATER = new Date('2026-03-02T10:00:00Z')
const sha256 = (text: string) => createHash('sha256').update(text).digest()

describe.each(testDatabases())('on $name', async ({ open }) => {
  const seed = async (): Promise<KeyOwner> => {
    const { workspaceId } = await seedWorkspace(database.db)
    return { workspaceId, ...(await seedApplication(database.db, workspaceId)) }
  }
  const issue = async (of = owner) => {
    const issued = await issueKey(database.db, of, 'ci', NOW)
    if (!issued) throw new Error('Application not found')
    return issued
  }

  const database = await closeAfterAll(open())
  const owner = await seed()
  const foreign = await seed()

  test('API key store: only a hash of the key is stored', async () => {
    const { key, ...shown } = await issue()
    expect(shown).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      applicationId: owner.applicationId,
      name: 'ci',
      hint: key.slice(0, 7),
      issuedBy: null,
      createdAt: NOW,
      revokedAt: null,
      lastUsedAt: null,
      expiresAt: null,
      replacedBy: null,
    })
    const row = await database.db.selectFrom('api_key').selectAll().where('hash', '=', sha256(key)).executeTakeFirstOrThrow()
    expect(row.hash).toEqual(sha256(key))
    expect(JSON.stringify(row)).not.toContain(key.slice(7))
    expect(JSON.stringify(apiKeyView(shown))).not.toContain(key.slice(7))
  })

  test('API key store: key is found with its Application and all defaults', async () => {
    const { id, key } = await issue()
    expect(await findKeyByHash(database.db, sha256(key))).toMatchObject({
      keyId: id,
      revokedAt: null,
      application: { id: owner.applicationId, workspaceId: owner.workspaceId, limits: { burst: 60 } },
    })
    expect(await findKeyByHash(database.db, sha256(`${key}x`))).toBeUndefined()
  })

  test('API key store: first revocation time stays when a key is revoked again', async () => {
    const { id, key } = await issue()
    expect(await revokeKey(database.db, owner.workspaceId, id, NOW)).toMatchObject({ id, revokedAt: NOW })
    expect(await revokeKey(database.db, owner.workspaceId, id, LATER)).toMatchObject({ id, revokedAt: NOW })
    expect((await findKeyByHash(database.db, sha256(key)))?.revokedAt).toEqual(NOW)
  })

  test('API key store: no key is issued when the Application is of another Workspace or does not exist', async () => {
    for (const applicationId of [foreign.applicationId, newId('app'), 'invalid']) {
      expect(await issueKey(database.db, { ...owner, applicationId }, 'ci', NOW)).toBeUndefined()
    }
  })

  test('API key store: not found when the key is of another Workspace or does not exist', async () => {
    const { id, key } = await issue()
    for (const unknown of [id, newId('key'), 'invalid']) {
      expect(await revokeKey(database.db, foreign.workspaceId, unknown, NOW)).toBeUndefined()
    }
    expect(await listKeys(database.db, { ...owner, workspaceId: foreign.workspaceId }, { limit: 100 })).toEqual({
      data: [],
      hasMore: false,
    })
    expect((await findKeyByHash(database.db, sha256(key)))?.revokedAt).toBeNull()
  })

  test('API key store: not found when key and Application are of different Workspaces', async () => {
    const { id, key } = await issue()
    const [uuid, elsewhere] = [fromId('key', id) ?? '', fromId('ws', foreign.workspaceId) ?? '']
    await database.db.updateTable('api_key').set({ workspace_id: elsewhere }).where('id', '=', uuid).execute()
    expect(await findKeyByHash(database.db, sha256(key))).toBeUndefined()
  })

  test('API key store: listed oldest first, with revoked keys', async () => {
    const of = await seed()
    const ids = [(await issue(of)).id, (await issue(of)).id, (await issue(of)).id]
    await revokeKey(database.db, of.workspaceId, ids[0] ?? '', NOW)
    const first = await listKeys(database.db, of, { limit: 2 })
    expect([first?.data.map(({ id }) => id), first?.hasMore]).toEqual([ids.slice(0, 2), true])
    const second = await listKeys(database.db, of, { limit: 2, after: ids[1] })
    expect([second?.data.map(({ id }) => id), second?.hasMore]).toEqual([ids.slice(2), false])
    expect(await listKeys(database.db, of, { limit: 2, after: 'invalid' })).toBeUndefined()
    expect(await listKeys(database.db, { ...of, applicationId: 'invalid' }, { limit: 2 })).toBeUndefined()
  })
})

test('API key create: name is required', () => {
  const check = checker(ApiKeyCreate)
  expect(check({ name: 'ci' }).ok).toBe(true)
  expect(check({}).ok).toBe(false)
})
