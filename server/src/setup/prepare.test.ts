import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FreshDatabase, freshDatabases } from '../../test/support/fresh-database.ts'
import { AdminAuthenticator } from '../applications/admin-authenticator.ts'
import { hasAdminToken, listAdminTokens } from '../applications/admin-token-store.ts'
import { findApplicationByName, updateApplication } from '../applications/application-store.ts'
import { Authenticator } from '../applications/authenticator.ts'
import { updateUser } from '../applications/user-store.ts'
import { UserTokenVerifier } from '../applications/user-token.ts'
import { createWorkspace, listWorkspaces } from '../applications/workspace-store.ts'
import { verifyWorkspace } from '../audit/verify.ts'
import { createWorkspaceKeys } from '../audit/workspace-keys.ts'
import { readConfig } from '../config/config.ts'
import { ConfigError } from '../config/environment.ts'
import { readSecrets } from '../config/secrets.ts'
import { systemClock } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { secretBox } from '../lib/secret-box.ts'
import { activePolicySet } from '../policy/policy-store.ts'
import { Pools } from '../providers/pools.ts'
import { findProvider, loadProviders, updateProvider } from '../providers/provider-store.ts'
import { eligible } from '../providers/route.ts'
import { createLogger } from '../telemetry/logger.ts'
import type { DemoFile } from './demo-file.ts'
import { prepare } from './prepare.ts'

describe.each(freshDatabases())('a start on $name', ({ open }) => {
  let fresh: FreshDatabase
  let dataDir: string
  let lines: string[]
  let greeting: string
  const pools = new Pools({ allowPrivateUrls: false })

  beforeAll(async () => {
    fresh = await open()
  })
  afterAll(() => fresh.remove())
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-prepare-'))
    lines = []
    greeting = ''
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      greeting += text
      return true
    })
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    rmSync(dataDir, { recursive: true, force: true })
    await fresh.empty()
  })

  const deps = (env: Record<string, string> = {}) => {
    const environment = { GATEHOUSE_DATA: dataDir, PORT: '8787', ...env }
    const config = readConfig(environment)
    const secrets = readSecrets(environment, config)
    const log = createLogger('info', { write: (line: string) => void lines.push(line) })
    return {
      config: { ...config, configFile: env.GATEHOUSE_CONFIG ?? join(dataDir, 'gatehouse.yaml') },
      secrets,
      log,
      database: fresh.database,
      clock: systemClock,
      workspaceBox: secretBox(secrets.secretKey, 'workspace'),
      providerBox: secretBox(secrets.secretKey, 'provider'),
      providerCalls: { pools },
    }
  }
  /** What a start does before and after it listens. */
  const start = async (env?: Record<string, string>, base = 'http://127.0.0.1:8787'): Promise<void> => {
    const announce = await prepare(deps(env))
    await announce(base)
  }
  const file = (): string => join(dataDir, 'demo.json')
  const demo = (): DemoFile => JSON.parse(readFileSync(file(), 'utf8'))
  const opens = async (key: string | undefined) => {
    const authenticator = new Authenticator(fresh.database)
    const answer = await authenticator.authenticate(`Bearer ${key}`)
    authenticator.close()
    return answer.ok ? answer.application.name : answer.code
  }
  const operates = async (token: string) => {
    const authenticator = new AdminAuthenticator(fresh.database)
    const answer = await authenticator.authenticate(`Bearer ${token}`)
    authenticator.close()
    return answer.ok ? answer.operator.name : answer.code
  }
  const identify = async ({ workspace }: DemoFile, token: string) => {
    const noFetch = () => Promise.reject(new Error('the keys are inline'))
    const verifier = new UserTokenVerifier({ ...fresh.database, clock: systemClock, fetch: noFetch })
    const verdict = await verifier.verify(workspace.id, token)
    verifier.close()
    return verdict
  }

  describe('with nothing configured', () => {
    test('seeds a demo whose every key, token and user is what demo.json says', async () => {
      await start()
      const { base_url, workspace, applications, users, admin_token } = demo()
      expect(base_url).toBe('http://127.0.0.1:8787')
      expect(statSync(file()).mode & 0o777).toBe(0o600)
      expect(applications.map(({ name }) => name)).toEqual(['support', 'engineering'])
      for (const { name, api_key, revoked_api_key } of applications) {
        expect(await opens(api_key)).toBe(name)
        expect(await opens(revoked_api_key)).toBe('AUTH_KEY_REVOKED')
      }
      expect(await operates(admin_token)).toBe('demo')
      expect(users.length).toBeGreaterThanOrEqual(3)
      for (const { id, role, department, attributes, user_token } of users) {
        expect(await identify(demo(), user_token)).toEqual({
          ok: true,
          user: { id, role, department, attributes, verified: true },
        })
      }
      expect(await activePolicySet(fresh.database.db, workspace.id)).toMatchObject({ name: 'demo', version: 1 })
    })

    test('gives each Application a model that the other lacks, and both a default that answers', async () => {
      await start()
      const { workspace } = demo()
      const { secrets, providerBox: box } = deps()
      const loading = { box, environment: secrets.fromEnvironment, allowPrivateUrls: false }
      const providers = await loadProviders(fresh.database.db, workspace.id, loading)
      const may = async (name: string, model: string): Promise<boolean> => {
        const application = await findApplicationByName(fresh.database.db, workspace.id, name)
        if (!application) throw new Error(`no ${name}`)
        const need = { model: model || (application.defaultModel ?? ''), application, classification: 'restricted' as const }
        return eligible(providers, need, { rank: () => 0, random: () => 0 }).candidates.length > 0
      }
      expect([await may('support', 'demo-support'), await may('support', 'demo-code'), await may('support', '')]).toEqual([
        true,
        false,
        true,
      ])
      expect([
        await may('engineering', 'demo-support'),
        await may('engineering', 'demo-code'),
        await may('engineering', ''),
      ]).toEqual([false, true, true])
    })

    test('started again, it keeps everything and notes only a new address', async () => {
      await start()
      const first = demo()
      await start({}, 'http://127.0.0.1:9999')
      expect(demo()).toEqual({ ...first, base_url: 'http://127.0.0.1:9999' })
      const { records } = await verifyWorkspace(fresh.database.db, first.workspace.id, await publicKey(fresh))
      await start({}, 'http://127.0.0.1:9999')
      expect(await verifyWorkspace(fresh.database.db, first.workspace.id, await publicKey(fresh))).toMatchObject({
        ok: true,
        records,
      })
    })

    test('with demo.json gone, issues new keys and tokens and revokes the old ones; what people changed stays', async () => {
      await start()
      const before = demo()
      const { db } = fresh.database
      const [support] = before.applications
      const { id: workspaceId } = before.workspace
      await db
        .transaction()
        .execute((tx) => updateApplication(tx, workspaceId, support?.id ?? '', { limits: { burst: 7 } }, new Date()))
      await db.transaction().execute((tx) => updateUser(tx, workspaceId, 'alice', { role: 'team_lead' }, new Date()))
      rmSync(file())
      await start()
      const after = demo()
      expect(after.applications.map(({ id }) => id)).toEqual(before.applications.map(({ id }) => id))
      for (const [index, { api_key }] of after.applications.entries()) {
        expect(await opens(api_key)).toBe(after.applications[index]?.name)
        expect(await opens(before.applications[index]?.api_key)).toBe('AUTH_KEY_REVOKED')
      }
      expect([await operates(after.admin_token), await operates(before.admin_token)]).toEqual(['demo', 'AUTH_KEY_REVOKED'])
      expect(await identify(after, before.users[0]?.user_token ?? '')).toMatchObject({ ok: false })
      expect(await identify(after, after.users[0]?.user_token ?? '')).toMatchObject({ ok: true, user: { role: 'team_lead' } })
      expect(await findApplicationByName(db, workspaceId, 'support')).toMatchObject({ limits: { burst: 7 } })
    })

    test('a demo.json of another database, or one that is cut off, counts as gone', async () => {
      await start()
      const real = readFileSync(file(), 'utf8')
      const { applications, ...rest } = JSON.parse(real) as DemoFile
      const foreign = applications.map((application) => ({ ...application, api_key: `gk_${'x'.repeat(43)}` }))
      for (const text of [JSON.stringify({ applications: foreign, ...rest }), real.slice(0, 100), '[]']) {
        writeFileSync(file(), text)
        await start()
        expect(await opens(demo().applications[0]?.api_key)).toBe('support')
      }
    })

    test('a key that an operator revoked stays revoked', async () => {
      await start()
      const { applications, workspace } = demo()
      await fresh.database.db.updateTable('api_key').set({ revoked_at: new Date() }).execute()
      await start()
      expect(demo().workspace).toEqual(workspace)
      expect(await opens(applications[0]?.api_key)).toBe('AUTH_KEY_REVOKED')
    })

    test('a file whose database never came to be is replaced', async () => {
      await start()
      const orphan = demo()
      await fresh.empty()
      await start()
      expect(demo().workspace.id).not.toBe(orphan.workspace.id)
      expect(await opens(demo().applications[0]?.api_key)).toBe('support')
    })

    test('a start that fails while seeding leaves nothing behind, and the next one seeds', async () => {
      const { db } = fresh.database
      await sql`alter table policy_set add constraint fault check (version < 0)`.execute(db)
      await expect(prepare(deps())).rejects.toThrow(/fault/)
      expect((await listWorkspaces(db, { limit: 1 }))?.data).toEqual([])
      await sql`alter table policy_set drop constraint fault`.execute(db)
      await start()
      expect(await opens(demo().applications[0]?.api_key)).toBe('support')
    })

    test('two starts at the same moment make one demo', async () => {
      await Promise.all([start(), start()])
      expect((await listWorkspaces(fresh.database.db, { limit: 10 }))?.data).toHaveLength(1)
      expect(await opens(demo().applications[0]?.api_key)).toBe('support')
    })

    test('puts no demo beside what a database is really used for', async () => {
      const { workspaceBox } = deps()
      const id = newId('ws')
      await fresh.database.db
        .transaction()
        .execute((tx) => createWorkspace(tx, id, { name: 'demo' }, createWorkspaceKeys(workspaceBox, id), new Date()))
      await start()
      expect(() => demo()).toThrow(/ENOENT/)
      expect(await hasAdminToken(fresh.database.db)).toBe(true)
    })

    test('greets on standard error with a command that can be pasted, and logs no key', async () => {
      await start()
      const [{ api_key } = { api_key: '' }] = demo().applications
      expect(greeting).toContain('Gatehouse is running at http://127.0.0.1:8787')
      expect(greeting).toContain(`-H 'Authorization: Bearer ${api_key}'`)
      expect(greeting).toContain(file())
      expect(greeting).toContain('http://127.0.0.1:8787/docs')
      expect(lines.join('')).not.toMatch(/g[ka]_/)
    })
  })

  describe('with providers in the environment', () => {
    let upstream: Server
    let baseUrl: string
    let answer: string
    beforeEach(async () => {
      answer = JSON.stringify({ data: [{ id: 'model-b' }, { id: 'model-a' }, { id: 'text-embedding-3' }] })
      upstream = createServer((_, response) => response.end(answer))
      await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
      baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`
    })
    afterEach(() => {
      upstream.closeAllConnections()
      upstream.close()
    })
    const models = async (): Promise<string[]> => {
      const rows = await fresh.database.db
        .selectFrom('model')
        .select('id')
        .where('provider_id', '=', 'openai')
        .orderBy('id')
        .execute()
      return rows.map(({ id }) => id)
    }
    const provider = () => findProvider(fresh.database.db, demo().workspace.id, 'openai')

    test('adds them with the models that are named, at a private address if need be', async () => {
      await start({ OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: baseUrl, OPENAI_MODELS: 'mock-model, other' })
      expect(await provider()).toMatchObject({ source: 'environment', baseUrl, apiKeyEnv: 'OPENAI_API_KEY', enabled: true })
      expect(await models()).toEqual(['mock-model', 'other'])
      expect(greeting).toContain('built-in demo, openai')
      await start({ OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: baseUrl, OPENAI_MODELS: 'mock-model' })
      expect(await models()).toEqual(['mock-model'])
    })

    test('asks for the models when none are named, keeps those it knows when nobody answers, and starts all the same', async () => {
      const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: baseUrl }
      await start(env)
      expect(await models()).toEqual(['model-a', 'model-b'])
      answer = 'nonsense'
      await start(env)
      expect(await models()).toEqual(['model-a', 'model-b'])
      expect(lines.join('')).toContain('OPENAI_MODELS can name them')
    })

    test('disables what is gone from the environment, and enables it when it is back', async () => {
      const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: baseUrl, OPENAI_MODELS: 'mock-model' }
      await start(env)
      await start()
      expect(await provider()).toMatchObject({ enabled: false })
      await start(env)
      expect(await provider()).toMatchObject({ enabled: true })
    })

    test('keeps what an operator set beside it, and leaves alone what an operator took over', async () => {
      const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: baseUrl, OPENAI_MODELS: 'mock-model' }
      await start(env)
      const { providerBox: box } = deps()
      const change = (fields: object) =>
        updateProvider(fresh.database.db, demo().workspace.id, 'openai', fields, { box, now: new Date(), by: 'api' })
      await change({ timeoutMs: 2_000 })
      await start(env)
      expect(await provider()).toMatchObject({ source: 'environment', timeoutMs: 2_000 })
      await change({ baseUrl: 'https://elsewhere.example/v1', apiKey: 'sk-y' })
      await start(env)
      expect(await provider()).toMatchObject({ source: 'api', baseUrl: 'https://elsewhere.example/v1' })
      expect(lines.join('')).toContain("provider openai is an operator's by now")
    })

    test('a variable that holds nonsense stops the start and is named', async () => {
      const bad = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: 'http://169.254.169.254', OPENAI_MODELS: 'm' }
      await expect(prepare(deps(bad))).rejects.toThrow(/^OPENAI_BASE_URL must not point at a link-local/)
      await expect(prepare(deps({ OPENAI_API_KEY: 'sk-x', OPENAI_MODELS: 'gpt-*' }))).rejects.toThrow(
        /^OPENAI_MODELS: every name/,
      )
    })
  })

  describe('with the demo turned off', () => {
    test('seeds nothing, and hands the first admin token over in a file', async () => {
      await start({ GATEHOUSE_DEMO: '0' })
      const path = join(dataDir, 'admin-token')
      const token = readFileSync(path, 'utf8').trim()
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(await operates(token)).toBe('first')
      expect(greeting).toContain(path)
      expect(lines.join('')).not.toContain(token)
      expect((await listWorkspaces(fresh.database.db, { limit: 1 }))?.data).toEqual([])
      await start({ GATEHOUSE_DEMO: '0' })
      expect((await listAdminTokens(fresh.database.db, { limit: 10 }))?.data).toHaveLength(1)
      expect(readFileSync(path, 'utf8').trim()).toBe(token)
    })
  })

  describe('with a gatehouse.yaml', () => {
    test('applies it instead of the demo', async () => {
      writeFileSync(join(dataDir, 'gatehouse.yaml'), 'workspaces: [{ name: acme, applications: [{ name: support }] }]\n')
      await start()
      expect((await listWorkspaces(fresh.database.db, { limit: 9 }))?.data.map(({ name }) => name)).toEqual(['acme'])
      expect(() => demo()).toThrow(/ENOENT/)
      expect(await hasAdminToken(fresh.database.db)).toBe(true)
      expect(lines.join('')).toContain('created application support')
    })

    test('a file with an error stops the start, and nothing of it is applied', async () => {
      const text = 'workspaces:\n  - { name: acme }\n  - { name: other, aplications: [] }\n'
      writeFileSync(join(dataDir, 'gatehouse.yaml'), text)
      await expect(prepare(deps())).rejects.toThrow(ConfigError)
      expect((await listWorkspaces(fresh.database.db, { limit: 9 }))?.data).toEqual([])
    })

    test('a file that was named and is not there stops the start: a typing error must not end in the demo', async () => {
      await expect(prepare(deps({ GATEHOUSE_CONFIG: join(dataDir, 'gatehouse.yml') }))).rejects.toThrow(
        /GATEHOUSE_CONFIG names .*, which is not there/,
      )
    })
  })
})

async function publicKey({ database }: FreshDatabase): Promise<string> {
  return (await listWorkspaces(database.db, { limit: 1 }))?.data[0]?.signingPublicKey ?? ''
}
