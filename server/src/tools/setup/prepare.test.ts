import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabases } from '../../../test/support/fresh-database.ts'
import { StartFixture } from '../../../test/support/start-fixture.ts'
import { listWorkspaces } from '../../domains/identity/workspace-store.ts'
import { hasAdminToken, listAdminTokens } from '../../domains/operators/admin-token-store.ts'
import { findProvider, updateProvider } from '../../domains/providers/provider-store.ts'
import { ConfigError } from '../../platform/config/environment.ts'

describe.each(freshDatabases())('prepare on $name', async ({ open }) => {
  let starts: StartFixture
  const fresh = await open()
  afterAll(() => fresh.remove())
  beforeEach(() => {
    starts = new StartFixture(fresh.database)
  })
  afterEach(async () => {
    await starts.remove()
    await fresh.empty()
  })
  const db = () => fresh.database.db

  describe('environment providers', () => {
    let upstream: Server
    let baseUrl: string
    let modelList: string
    beforeEach(async () => {
      modelList = JSON.stringify({ data: [{ id: 'model-b' }, { id: 'model-a' }, { id: 'text-embedding-3' }] })
      upstream = createServer((_, response) => response.end(modelList))
      await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
      baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`
    })
    afterEach(() => {
      upstream.closeAllConnections()
      upstream.close()
    })
    const models = async (): Promise<string[]> => {
      const rows = await db().selectFrom('model').select('id').where('provider_id', '=', 'openai').orderBy('id').execute()
      return rows.map(({ id }) => id)
    }
    const provider = () => findProvider(db(), starts.demo().workspace.id, 'openai')

    test('environment providers: are created with the named models, also at a private address [ADM-ENV-8, ADM-ENV-10]', async () => {
      await starts.start({ OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: baseUrl, OPENAI_MODELS: 'mock-model, other' })
      expect(await provider()).toMatchObject({ source: 'environment', baseUrl, apiKeyEnv: 'OPENAI_API_KEY', enabled: true })
      expect(await models()).toEqual(['mock-model', 'other'])
      expect(starts.greeting).toContain('built-in demo, openai')
      await starts.start({ OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: baseUrl, OPENAI_MODELS: 'mock-model' })
      expect(await models()).toEqual(['mock-model'])
    })

    test('environment providers: models are discovered when no variable names them, and stay when the provider fails [ADM-ENV-8]', async () => {
      const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: baseUrl }
      await starts.start(env)
      expect(await models()).toEqual(['model-a', 'model-b'])
      modelList = 'invalid'
      await starts.start(env)
      expect(await models()).toEqual(['model-a', 'model-b'])
      expect(starts.logs).toContain('set OPENAI_MODELS')
    })

    test('environment providers: are disabled when their variables are gone, and enabled when they return', async () => {
      const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: baseUrl, OPENAI_MODELS: 'mock-model' }
      await starts.start(env)
      await starts.start()
      expect(await provider()).toMatchObject({ enabled: false })
      await starts.start(env)
      expect(await provider()).toMatchObject({ enabled: true })
    })

    test('environment providers: stay disabled by an operator when their variables are the same', async () => {
      const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: baseUrl, OPENAI_MODELS: 'mock-model' }
      await starts.start(env)
      const { providerBox: box } = starts.deps()
      const change = { box, now: new Date(), by: 'api' as const }
      await updateProvider(db(), starts.demo().workspace.id, 'openai', { enabled: false }, change)
      await starts.start(env)
      expect(await provider()).toMatchObject({ enabled: false })
      expect(starts.logs).toContain('environment: provider openai differs from its declaration (enabled)')
      await starts.start({ ...env, OPENAI_MODELS: 'mock-model, other' })
      expect(await provider()).toMatchObject({ enabled: true })
    })

    test("environment providers: keep an operator's fields, and are not used when an operator owns the provider", async () => {
      const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: baseUrl, OPENAI_MODELS: 'mock-model' }
      await starts.start(env)
      const { providerBox: box } = starts.deps()
      const change = (fields: object) =>
        updateProvider(db(), starts.demo().workspace.id, 'openai', fields, { box, now: new Date(), by: 'api' })
      await change({ timeoutMs: 2_000 })
      await starts.start(env)
      expect(await provider()).toMatchObject({ source: 'environment', timeoutMs: 2_000 })
      await change({ baseUrl: 'https://elsewhere.example/v1', apiKey: 'sk-y' })
      await starts.start(env)
      expect(await provider()).toMatchObject({ source: 'api', baseUrl: 'https://elsewhere.example/v1' })
      expect(starts.logs).toContain('provider openai belongs to an operator now')
    })

    test('environment providers: start fails and names the variable when its value is invalid', async () => {
      const bad = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: 'http://169.254.169.254', OPENAI_MODELS: 'm' }
      await expect(starts.prepare(bad)).rejects.toThrow(/^OPENAI_BASE_URL must not point at a link-local/)
      await expect(starts.prepare({ OPENAI_API_KEY: 'sk-x', OPENAI_MODELS: 'gpt-*' })).rejects.toThrow(
        /^OPENAI_MODELS: every name/,
      )
    })
  })

  describe('without the demo', () => {
    test('demo: is not seeded, and a file holds the first admin token, when GATEHOUSE_DEMO=0 [ADM-ENV-6]', async () => {
      await starts.start({ GATEHOUSE_DEMO: '0' })
      const path = join(starts.dataDir, 'admin-token')
      const token = readFileSync(path, 'utf8').trim()
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(await starts.findOperatorName(token)).toBe('first')
      expect(starts.greeting).toContain(path)
      expect(starts.logs).not.toContain(token)
      expect((await listWorkspaces(db(), { limit: 1 }))?.data).toEqual([])
      await starts.start({ GATEHOUSE_DEMO: '0' })
      expect((await listAdminTokens(db(), { limit: 10 }))?.data).toHaveLength(1)
      expect(readFileSync(path, 'utf8').trim()).toBe(token)
    })
  })

  describe('with a gatehouse.yaml', () => {
    test('gatehouse.yaml: is applied instead of the demo when it exists', async () => {
      writeFileSync(join(starts.dataDir, 'gatehouse.yaml'), 'workspaces: [{ name: acme, applications: [{ name: support }] }]\n')
      await starts.start()
      expect((await listWorkspaces(db(), { limit: 9 }))?.data.map(({ name }) => name)).toEqual(['acme'])
      expect(() => starts.demo()).toThrow(/ENOENT/)
      expect(await hasAdminToken(db())).toBe(true)
      expect(starts.logs).toContain('created application support')
    })

    test('gatehouse.yaml: start fails and applies nothing when the file has an error', async () => {
      const text = 'workspaces:\n  - { name: acme }\n  - { name: other, aplications: [] }\n'
      writeFileSync(join(starts.dataDir, 'gatehouse.yaml'), text)
      await expect(starts.prepare()).rejects.toThrow(ConfigError)
      expect((await listWorkspaces(db(), { limit: 9 }))?.data).toEqual([])
    })

    test('gatehouse.yaml: start fails when GATEHOUSE_CONFIG names a file that does not exist [ADM-ENV-5]', async () => {
      await expect(starts.prepare({ GATEHOUSE_CONFIG: join(starts.dataDir, 'gatehouse.yml') })).rejects.toThrow(
        /GATEHOUSE_CONFIG names .*, which does not exist/,
      )
    })
  })
})
