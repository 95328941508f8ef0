import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabases } from '../../test/support/database.ts'
import { seedApplication, seedWorkspace } from '../../test/support/seed.ts'
import type { Database } from '../db/database.ts'
import { fromId, newId } from '../lib/id.ts'
import { apiKeyView, checkApiKeyCreate } from './api-key.ts'
import { findKeyByHash, issueKey, type KeyOwner, listKeys, revokeKey } from './api-key-store.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const LATER = new Date('2026-03-02T10:00:00Z')
const sha256 = (text: string) => createHash('sha256').update(text).digest()

describe.each(testDatabases())('API keys on $name', ({ open }) => {
  let database: Database
  let owner: KeyOwner
  let foreign: KeyOwner

  const seed = async (): Promise<KeyOwner> => {
    const { workspaceId } = await seedWorkspace(database.db)
    return { workspaceId, ...(await seedApplication(database.db, workspaceId)) }
  }
  const issue = async (of = owner) => {
    const issued = await issueKey(database.db, of, 'ci', NOW)
    if (!issued) throw new Error('no such Application')
    return issued
  }

  beforeAll(async () => {
    database = await open()
    owner = await seed()
    foreign = await seed()
  })
  afterAll(() => database.close())

  test('are shown once and stored as a hash alone', async () => {
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
    })
    const row = await database.db.selectFrom('api_key').selectAll().where('hash', '=', sha256(key)).executeTakeFirstOrThrow()
    expect(row.hash).toEqual(sha256(key))
    expect(JSON.stringify(row)).not.toContain(key.slice(7))
    expect(JSON.stringify(apiKeyView(shown))).not.toContain(key.slice(7))
  })

  test('lead to their Application, with its defaults filled in', async () => {
    const { id, key } = await issue()
    expect(await findKeyByHash(database.db, sha256(key))).toMatchObject({
      keyId: id,
      revokedAt: null,
      application: { id: owner.applicationId, workspaceId: owner.workspaceId, limits: { burst: 60 } },
    })
    expect(await findKeyByHash(database.db, sha256(`${key}x`))).toBeUndefined()
  })

  test('stay revoked as of the first time', async () => {
    const { id, key } = await issue()
    expect(await revokeKey(database.db, owner.workspaceId, id, NOW)).toMatchObject({ id, revokedAt: NOW })
    expect(await revokeKey(database.db, owner.workspaceId, id, LATER)).toMatchObject({ id, revokedAt: NOW })
    expect((await findKeyByHash(database.db, sha256(key)))?.revokedAt).toEqual(NOW)
  })

  test('are issued for no Application but the Workspace’s own', async () => {
    for (const applicationId of [foreign.applicationId, newId('app'), 'nonsense']) {
      expect(await issueKey(database.db, { ...owner, applicationId }, 'ci', NOW)).toBeUndefined()
    }
  })

  test('are neither listed nor revoked by another Workspace, which cannot tell them from ones that are not there', async () => {
    const { id, key } = await issue()
    for (const unknown of [id, newId('key'), 'nonsense']) {
      expect(await revokeKey(database.db, foreign.workspaceId, unknown, NOW)).toBeUndefined()
    }
    expect(await listKeys(database.db, { ...owner, workspaceId: foreign.workspaceId }, { limit: 100 })).toEqual({
      data: [],
      hasMore: false,
    })
    expect((await findKeyByHash(database.db, sha256(key)))?.revokedAt).toBeNull()
  })

  test('of an Application that is not of the key’s Workspace lead nowhere', async () => {
    const { id, key } = await issue()
    const [uuid, elsewhere] = [fromId('key', id) ?? '', fromId('ws', foreign.workspaceId) ?? '']
    await database.db.updateTable('api_key').set({ workspace_id: elsewhere }).where('id', '=', uuid).execute()
    expect(await findKeyByHash(database.db, sha256(key))).toBeUndefined()
  })

  test('are listed oldest first, revoked ones too', async () => {
    const of = await seed()
    const ids = [(await issue(of)).id, (await issue(of)).id, (await issue(of)).id]
    await revokeKey(database.db, of.workspaceId, ids[0] ?? '', NOW)
    const first = await listKeys(database.db, of, { limit: 2 })
    expect([first?.data.map(({ id }) => id), first?.hasMore]).toEqual([ids.slice(0, 2), true])
    const second = await listKeys(database.db, of, { limit: 2, after: ids[1] })
    expect([second?.data.map(({ id }) => id), second?.hasMore]).toEqual([ids.slice(2), false])
    expect(await listKeys(database.db, of, { limit: 2, after: 'nonsense' })).toBeUndefined()
    expect(await listKeys(database.db, { ...of, applicationId: 'nonsense' }, { limit: 2 })).toBeUndefined()
  })
})

test('a key has a name', () => {
  expect(checkApiKeyCreate({ name: 'ci' }).ok).toBe(true)
  expect(checkApiKeyCreate({}).ok).toBe(false)
})
