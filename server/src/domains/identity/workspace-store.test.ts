import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { fromId, newId } from '../../platform/lib/id.ts'
import { generateUserTokenKeys } from '../../tools/demo/user-tokens.ts'
import {
  checkWorkspaceCreate,
  checkWorkspacePatch,
  DEFAULT_WORKSPACE_SETTINGS,
  type WorkspacePatch,
  workspaceView,
} from './workspace.ts'
import { createWorkspace, findWorkspace, findWorkspaceByName, updateWorkspace } from './workspace-store.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const KEYS = { hashKey: Buffer.from('sealed 1'), signingKey: Buffer.from('sealed 2'), signingPublicKey: 'PEM', auditSeal: 'seal' }

describe.each(testDatabases())('on $name', async ({ open }) => {
  const database = await closeAfterAll(open())

  const create = (name: string, settings = {}, id = newId('ws')) =>
    database.db.transaction().execute((tx) => createWorkspace(tx, id, { name, settings }, KEYS, NOW))
  const update = (id: string, patch: WorkspacePatch) => database.db.transaction().execute((tx) => updateWorkspace(tx, id, patch))

  test('workspace store: new Workspace has all defaults, its keys and an empty audit log', async () => {
    const id = newId('ws')
    const workspace = await create(`acme ${id}`, {}, id)
    expect(workspace).toEqual({
      id,
      name: `acme ${id}`,
      settings: DEFAULT_WORKSPACE_SETTINGS,
      signingPublicKey: 'PEM',
      createdAt: NOW,
    })
    expect(await findWorkspace(database.db, id)).toEqual(workspace)
    expect(await findWorkspaceByName(database.db, `acme ${id}`)).toEqual(workspace)
    const uuid = fromId('ws', id) ?? ''
    const row = await database.db.selectFrom('workspace').selectAll().where('id', '=', uuid).executeTakeFirst()
    expect(row).toMatchObject({ hash_key: KEYS.hashKey, signing_key: KEYS.signingKey, settings: {}, active_policy_id: null })
    const head = await database.db.selectFrom('audit_head').selectAll().where('workspace_id', '=', uuid).executeTakeFirst()
    expect(head).toEqual({ workspace_id: uuid, sequence: 0, hash: Buffer.alloc(32), anchored_from: 0 })
  })

  test('workspace store: settings are merged field by field, null resets', async () => {
    const { publicJwk } = await generateUserTokenKeys()
    const id = (await create(`patched ${newId('ws')}`))?.id ?? ''
    const settings = { jwks: { keys: [publicJwk] }, issuer: 'https://idp.test', audience: ['a', 'b'], claims: { role: 'groups' } }
    await update(id, { settings: { ...settings, audit_retention_days: 30 } })
    expect(await update(id, { settings: { audience: null, claims: { department: 'dept' } } })).toMatchObject({
      ok: true,
      workspace: {
        settings: {
          jwks: { keys: [publicJwk] },
          issuer: 'https://idp.test',
          audience: null,
          claims: { id: 'sub', role: 'groups', department: 'dept', attributes: 'attributes' },
          audit_retention_days: 30,
        },
      },
    })
    await update(id, { settings: { jwks: { url: 'https://idp.test/keys' } } })
    expect((await findWorkspace(database.db, id))?.settings.jwks).toEqual({ url: 'https://idp.test/keys' })
    await update(id, { settings: { jwks: null, issuer: null, claims: null, audit_retention_days: null } })
    expect((await findWorkspace(database.db, id))?.settings).toEqual(DEFAULT_WORKSPACE_SETTINGS)
  })
})

describe('workspace settings: problem names the field when they are', () => {
  const rsa = { kty: 'RSA', n: Buffer.alloc(256, 1).toString('base64url'), e: 'AQAB' }
  test.each<[unknown, string]>([
    [{ jwks: {} }, 'settings.jwks'],
    [{ jwks: { keys: [] } }, 'settings.jwks.keys'],
    [{ jwks: { keys: [{ ...rsa, n: 'AQAB' }] } }, 'settings.jwks.keys[0]'],
    [{ jwks: { keys: [rsa, { ...rsa, d: 'AQAB' }] } }, 'settings.jwks.keys[1]'],
    [{ jwks: { keys: [{ kty: 'oct', k: 'AQAB' }] } }, 'settings.jwks.keys[0]'],
    [{ jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AQAB', d: 'AQAB' }] } }, 'settings.jwks.keys[0]'],
    [{ jwks: { keys: [rsa], url: 'https://idp.test' } }, 'settings.jwks'],
    [{ jwks: { url: 'idp.test/keys' } }, 'settings.jwks.url'],
    [{ jwks: { url: 'http://idp.test/keys' } }, 'settings.jwks.url'],
    [{ jwks: { url: 'http://10.0.0.1/keys' } }, 'settings.jwks.url'],
    [{ jwks: { url: 'https://user:secret@idp.test/keys' } }, 'settings.jwks.url'],
    [{ jwks: { url: 'file:///etc/passwd' } }, 'settings.jwks.url'],
    [{ audience: '' }, 'settings.audience'],
    [{ audience: [] }, 'settings.audience'],
    [{ audience: [7] }, 'settings.audience[0]'],
    [{ audiance: 'gatehouse' }, 'settings.audiance'],
    [{ claims: { rol: 'role' } }, 'settings.claims.rol'],
    [{ claims: { role: '' } }, 'settings.claims.role'],
    [{ audit_retention_days: 0 }, 'settings.audit_retention_days'],
    [{ issuer: 'a\u0000' }, 'settings'],
  ])('%j', (settings, param) => {
    for (const check of [checkWorkspaceCreate, checkWorkspacePatch]) {
      const checked = check({ name: 'acme', settings })
      expect(checked.ok ? 'valid' : checked.problem.param).toBe(param)
    }
  })

  test.each([
    { jwks: { keys: [rsa] }, issuer: 'https://idp.test', audience: 'gatehouse' },
    { jwks: { keys: [rsa, { ...rsa, use: 'enc' }] } },
    { jwks: { url: 'https://idp.test/keys' } },
    { jwks: { url: 'http://127.0.0.1:9000/keys' } },
    { jwks: { url: 'http://keycloak:8080/keys' } },
    { jwks: null, issuer: null, audience: null, claims: null, audit_retention_days: null },
  ])('none when they are %j', (settings) => expect(checkWorkspacePatch({ settings }).ok).toBe(true))
})

test('workspace view: has no sealed key', () => {
  const workspace = { id: 'ws_1', name: 'acme', settings: DEFAULT_WORKSPACE_SETTINGS, signingPublicKey: 'PEM', createdAt: NOW }
  expect(Object.keys(workspaceView(workspace))).toEqual(['id', 'object', 'name', 'settings', 'signing_public_key', 'created_at'])
})
