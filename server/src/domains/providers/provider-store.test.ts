import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { declaredProvider as openai } from '../../../test/support/providers.ts'
import { seedWorkspace, TEST_SECRET_KEY } from '../../../test/support/seed.ts'
import { uuidOf } from '../../platform/db/values.ts'
import { secretBox } from '../../platform/lib/secret-box.ts'
import { NO_PRICES } from './prices.ts'
import {
  createProvider,
  deleteModel,
  deleteProvider,
  findProvider,
  listModels,
  listProviders,
  loadProviders,
  putModels,
  updateProvider,
} from './provider-store.ts'

const SECRET = 'sk-very-secret-key'
const box = secretBox(TEST_SECRET_KEY, 'provider')
const now = new Date('2026-01-02T03:04:05Z')
const write = { box, now }
const load = { box, environment: (name: string) => ({ OPENAI_API_KEY: ` ${SECRET}\n` })[name], allowPrivateUrls: false }

const model = (id: string) => ({ id, upstreamName: null, ...NO_PRICES })

const PRICES = {
  ...{ inputPrice: 1.5, outputPrice: 2, cacheReadPrice: 0.15, cacheWritePrice: 1.9, cacheWrite1hPrice: 3 },
  ...{ reasoningPrice: 2.5, requestPrice: 0.01 },
}

describe.each(testDatabases())('providers on $name', async ({ open }) => {
  const { db } = await closeAfterAll(open())
  const ws = (await seedWorkspace(db)).workspaceId
  const workspace = async () => (await seedWorkspace(db)).workspaceId
  const loadFirst = async (workspaceId: string) => (await loadProviders(db, workspaceId, load))[0]

  test('providers: a provider is stored as declared, and its id only once', async () => {
    const declared = openai({ id: 'azure', headers: { 'api-key': '{api_key}' }, region: 'eu', weight: 0.5, apiKey: SECRET })
    expect(await createProvider(db, ws, declared, write)).toBe(true)
    expect(await createProvider(db, ws, declared, write)).toBe(false)
    const { apiKey: _, ...settings } = declared
    const record = { ...settings, apiKeyFrom: 'stored', apiKeyEnv: null, createdAt: now, updatedAt: now }
    expect(await findProvider(db, ws, 'azure')).toEqual(record)
  })

  test('providers: keys are sealed in the table and in plain text only after loading', async () => {
    const workspaceId = await workspace()
    await createProvider(db, workspaceId, openai({ apiKey: SECRET }), write)
    const rows = db.selectFrom('provider').selectAll().where('workspace_id', '=', uuidOf('ws', workspaceId))
    expect((await rows.executeTakeFirstOrThrow()).api_key?.includes(SECRET)).toBe(false)
    expect(JSON.stringify(await findProvider(db, workspaceId, 'openai'))).not.toContain(SECRET)
    expect(await loadFirst(workspaceId)).toMatchObject({ apiKey: SECRET, workspaceId })
  })

  test('providers: a sealed key cannot be opened for another provider or origin', async () => {
    const workspaceId = await workspace()
    await createProvider(db, workspaceId, openai({ apiKey: SECRET }), write)
    const inTable = db.updateTable('provider').where('workspace_id', '=', uuidOf('ws', workspaceId))
    await inTable.set({ base_url: 'https://attacker.example.net/v1' }).execute()
    expect(await loadFirst(workspaceId)).toMatchObject({ apiKey: null, problem: 'key_unreadable' })
    await inTable.set({ base_url: 'https://api.example.com/v2', id: 'other' }).execute()
    expect(await loadFirst(workspaceId)).toMatchObject({ apiKey: null, problem: 'key_unreadable' })
    await inTable.set({ id: 'openai' }).execute()
    expect(await loadFirst(workspaceId)).toMatchObject({ apiKey: SECRET })
  })

  test('providers: a key is read from the environment for configured providers only', async () => {
    const workspaceId = await workspace()
    await createProvider(db, workspaceId, openai({ source: 'environment', apiKeyEnv: 'OPENAI_API_KEY' }), write)
    expect(await loadFirst(workspaceId)).toMatchObject({ apiKey: SECRET })
    await updateProvider(db, workspaceId, 'openai', { apiKeyEnv: 'NOT_SET' }, { ...write, by: 'config' })
    expect(await loadFirst(workspaceId)).toMatchObject({ apiKey: null, problem: 'key_missing' })
    await updateProvider(db, workspaceId, 'openai', { apiKeyEnv: 'OPENAI_API_KEY' }, { ...write, by: 'api' })
    expect(await loadFirst(workspaceId)).toMatchObject({ apiKey: null, problem: 'key_missing', source: 'api' })
  })

  test('providers: a private address is allowed for configured providers only, and a change by an operator ends that', async () => {
    const workspaceId = await workspace()
    const local = { source: 'config', baseUrl: 'http://127.0.0.1:11434/v1' } as const
    await createProvider(db, workspaceId, openai(local), write)
    expect((await loadFirst(workspaceId))?.problem).toBeUndefined()
    await updateProvider(db, workspaceId, 'openai', { baseUrl: 'http://127.0.0.1:6379/' }, { ...write, by: 'api' })
    expect(await loadFirst(workspaceId)).toMatchObject({ source: 'api', problem: 'url_not_allowed' })
    expect((await loadProviders(db, workspaceId, { ...load, allowPrivateUrls: true }))[0]?.problem).toBeUndefined()
    await updateProvider(db, workspaceId, 'openai', { allowPrivateAddresses: true }, { ...write, by: 'api' })
    expect((await loadFirst(workspaceId))?.problem).toBeUndefined()
    await updateProvider(db, workspaceId, 'openai', { baseUrl: 'http://169.254.169.254/' }, { ...write, by: 'api' })
    expect((await loadFirst(workspaceId))?.problem).toBe('url_not_allowed')
  })

  test('providers: a change keeps missing fields, and another origin removes the key unless it is sent again', async () => {
    const workspaceId = await workspace()
    const by = { ...write, by: 'api' } as const
    await createProvider(db, workspaceId, openai({ apiKey: SECRET }), write)
    const change = { timeoutMs: 2_000, headers: { 'x-team': 'a' }, enabled: false }
    expect(await updateProvider(db, workspaceId, 'openai', change, by)).toBe(true)
    expect(await loadFirst(workspaceId)).toMatchObject({ ...change, apiKey: SECRET, weight: 1 })
    await updateProvider(db, workspaceId, 'openai', { baseUrl: 'https://api.example.com/v2' }, by)
    expect(await loadFirst(workspaceId)).toMatchObject({ apiKey: SECRET })
    await updateProvider(db, workspaceId, 'openai', { baseUrl: 'https://eu.example.com/v1' }, by)
    expect(await loadFirst(workspaceId)).toMatchObject({ apiKey: null })
    await updateProvider(db, workspaceId, 'openai', { baseUrl: 'https://us.example.com/v1', apiKey: 'another' }, by)
    expect(await loadFirst(workspaceId)).toMatchObject({ apiKey: 'another' })
    await updateProvider(db, workspaceId, 'openai', { apiKey: null }, by)
    expect(await findProvider(db, workspaceId, 'openai')).toMatchObject({ apiKeyFrom: null })
  })

  test('providers: pages are ordered by id', async () => {
    const workspaceId = await workspace()
    for (const id of ['c', 'a', 'b']) await createProvider(db, workspaceId, openai({ id }), write)
    const { data, hasMore } = await listProviders(db, workspaceId, { limit: 2 })
    expect([data.map(({ id }) => id), hasMore]).toEqual([['a', 'b'], true])
  })

  test('models: are added, changed, paged and deleted, also with their provider', async () => {
    const workspaceId = await workspace()
    const later = new Date(now.getTime() + 1_000)
    await createProvider(db, workspaceId, openai(), write)
    expect(await putModels(db, workspaceId, 'openai', [model('b'), model('a')], now)).toBe(true)
    await putModels(db, workspaceId, 'openai', [{ id: 'a', upstreamName: 'a-2', fallbackOrder: 3, ...PRICES }], later)
    const page = await listModels(db, workspaceId, 'openai', { limit: 1 })
    const changed = { id: 'a', upstreamName: 'a-2', api: 'chat', fallbackOrder: 3, ...PRICES, createdAt: now }
    expect(page).toEqual({ data: [changed], hasMore: true })
    expect((await loadFirst(workspaceId))?.models.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(await deleteModel(db, workspaceId, 'openai', 'b')).toBe(true)
    expect(await deleteModel(db, workspaceId, 'openai', 'b')).toBe(false)
    expect(await deleteProvider(db, workspaceId, 'openai')).toBe(true)
    expect((await listModels(db, workspaceId, 'openai', { limit: 9 })).data).toEqual([])
  })
})
