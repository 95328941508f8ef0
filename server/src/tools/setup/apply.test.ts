import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabases } from '../../../test/support/fresh-database.ts'
import { TEST_SECRET_KEY } from '../../../test/support/seed.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { searchRecords } from '../../domains/audit/search-records.ts'
import { verifyWorkspace } from '../../domains/audit/verify/verify.ts'
import { loadWorkspaceKeys, type WorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import { loadBudgets } from '../../domains/budgets/budget-store.ts'
import { findKeyByHash, revokeKeys, updateKey } from '../../domains/identity/api-key-store.ts'
import { findApplicationByName, setArchived, updateApplication } from '../../domains/identity/application-store.ts'
import { findUser } from '../../domains/identity/user-store.ts'
import { findWorkspaceByName } from '../../domains/identity/workspace-store.ts'
import { listAdminTokens } from '../../domains/operators/admin-token-store.ts'
import { findActivePolicySet, listPolicySets } from '../../domains/policy/policy-store.ts'
import { findProvider, listModels } from '../../domains/providers/provider-store.ts'
import { ConfigError } from '../../platform/config/environment.ts'
import { newCredential } from '../../platform/lib/credential.ts'
import { secretBox } from '../../platform/lib/secret-box.ts'
import { applyConfiguration } from './apply.ts'
import { hashSecret } from './apply-secrets.ts'
import { describeChange } from './change.ts'
import { readGatehouseFile } from './gatehouse-file.ts'

const POLICY = 'name: acme\nrules:\n  - {id: a, description: b, at: [input], when: "true", verdict: allow}\n'
const TOPICS = ['workspaces', 'applications', 'keys', 'providers', 'policies', 'admin_tokens']
const NOW = new Date('2026-03-02T12:00:00.000Z')

describe.each(freshDatabases())('apply on $name', async ({ open }) => {
  const name = 'acme'
  let environment: Record<string, string>
  const signaled = new Set<string>()

  const fresh = await open()
  const database = fresh.database
  const folder = temporaryFolder()
  afterAll(() => fresh.remove())
  beforeEach(async () => {
    await fresh.empty()
    environment = { KEY: newCredential('gk_').secret, TOKEN: newCredential('ga_').secret }
    signaled.clear()
    writeFileSync(join(folder, 'policy.yaml'), POLICY)
  })

  /** Notes the topic of a signal and publishes it. */
  const publish = async (topic: string, key: string): Promise<void> => {
    signaled.add(topic)
    await database.signal.publish(topic, key)
  }
  const options = (more: { dryRun?: boolean } = {}) => ({
    database: { db: database.db, signal: { ...database.signal, publish } },
    clock: { now: () => NOW },
    workspaceBox: secretBox(TEST_SECRET_KEY, 'workspace'),
    providerBox: secretBox(TEST_SECRET_KEY, 'provider'),
    ...more,
  })
  const apply = async (yaml: string, more?: { dryRun?: boolean }): Promise<string[]> => {
    const path = join(folder, 'gatehouse.yaml')
    writeFileSync(path, yaml)
    const file = readGatehouseFile(path, (variable) => environment[variable])
    return (await applyConfiguration(file, options(more))).map((change) => describeChange(change))
  }
  const workspaceId = async (): Promise<string> => (await findWorkspaceByName(database.db, name))?.id ?? ''

  const yamlOf = (change: { limit?: number; role?: string; timeout?: number; price?: number } = {}) => `
admin_tokens: [{ name: "${name}", from_env: TOKEN }]
workspaces:
  - name: "${name}"
    settings: { issuer: https://id.acme.example, audit_retention_days: 90 }
    applications:
      - name: support
        settings: { extensions: [tools], team: { pager: x } }
        limits: { requests_per_minute: ${change.limit ?? 60} }
        models: [gpt-4o*]
        default_model: gpt-4o-mini
        keys: [{ name: production, from_env: KEY }]
    users:
      - { id: u1, username: ada, role: ${change.role ?? 'agent'}, attributes: { clearance: internal } }
    providers:
      - id: openai
        base_url: http://10.0.0.5/v1
        api_key_env: OPENAI_API_KEY
        timeout_ms: ${change.timeout ?? 30_000}
        models: [{ id: gpt-4o-mini, input_price: ${change.price ?? 0.15} }]
    policy: { file: policy.yaml }
`

  test('apply: creates the declared objects, and changes nothing when it is repeated', async () => {
    expect(await apply(yamlOf())).toEqual([
      'created workspace acme',
      'created user ada',
      'created provider openai',
      'created application support',
      'issued key support/production',
      'published policy set acme v1',
      'issued admin token acme',
    ])
    expect(signaled).toEqual(new Set(TOPICS))
    signaled.clear()

    expect(await apply(yamlOf())).toEqual([
      'unchanged workspace acme',
      'unchanged user ada',
      'unchanged provider openai',
      'unchanged application support',
      'unchanged key support/production',
      'unchanged policy set acme v1',
      'unchanged admin token acme',
    ])
    expect(signaled).toEqual(new Set())
    const { data: records } = await searchRecords(database.db, await workspaceId(), { limit: 100 })
    expect(records.length).toBe(7)
  })

  test('apply: a declared field of settings.responses keeps one that an operator has set', async () => {
    const yaml = (store: string) => yamlOf().replace('extensions: [tools]', `extensions: [tools], responses: { store: ${store} }`)
    await apply(yaml('default'))
    const id = await workspaceId()
    const { id: applicationId = '' } = (await findApplicationByName(database.db, id, 'support')) ?? {}
    const patch = { settings: { responses: { retention_days: 7 } } }
    await database.db.transaction().execute((tx) => updateApplication(tx, id, applicationId, patch, NOW))
    await apply(yaml('off'))
    expect((await findApplicationByName(database.db, id, 'support'))?.settings.responses).toEqual({
      store: 'off',
      retention_days: 7,
      max_megabytes: 1_000,
    })
  })

  test('apply: database has the declared values', async () => {
    await apply(yamlOf())
    const id = await workspaceId()
    expect(await findApplicationByName(database.db, id, 'support')).toMatchObject({
      settings: { extensions: ['tools'], team: { pager: 'x' } },
      limits: { requests_per_minute: 60, burst: 60 },
      models: ['gpt-4o*'],
      defaultModel: 'gpt-4o-mini',
    })
    expect(await findUser(database.db, id, 'u1')).toMatchObject({
      username: 'ada',
      role: 'agent',
      attributes: { clearance: 'internal' },
    })
    const provider = await findProvider(database.db, id, 'openai')
    expect(provider).toMatchObject({
      source: 'config',
      baseUrl: 'http://10.0.0.5/v1',
      apiKeyEnv: 'OPENAI_API_KEY',
      timeoutMs: 30_000,
    })
    const hash = hashSecret(environment.KEY ?? '', 'gk_') ?? Buffer.alloc(0)
    expect(await findKeyByHash(database.db, hash)).toMatchObject({ revokedAt: null, application: { name: 'support' } })
    expect(await findActivePolicySet(database.db, id)).toMatchObject({ source: POLICY, version: 1 })
  })

  test('apply: updates only the changed fields and names them', async () => {
    await apply(yamlOf())
    const changes = await apply(yamlOf({ limit: 30, role: 'lead', timeout: 20_000, price: 0.2 }))
    expect(changes.filter((change) => !change.startsWith('unchanged'))).toEqual([
      'updated user ada (role)',
      'updated provider openai (timeout_ms, models)',
      'updated application support (limits)',
    ])
    const [model] = (await listModels(database.db, await workspaceId(), 'openai', { limit: 10 })).data
    expect(model).toMatchObject({ id: 'gpt-4o-mini', inputPrice: 0.2 })
  })

  test('apply: fields and objects stay when the file does not name them', async () => {
    await apply(yamlOf())
    const id = await workspaceId()
    const application = await findApplicationByName(database.db, id, 'support')
    await database.db
      .transaction()
      .execute((tx) => updateApplication(tx, id, application?.id ?? '', { limits: { burst: 7 }, ceiling: 'internal' }, NOW))
    const partial = `workspaces: [{ name: "${name}", applications: [{ name: support, limits: { requests_per_minute: 60 } }] }]`
    expect(await apply(partial)).toEqual(['unchanged workspace acme', 'unchanged application support'])
    expect(await findApplicationByName(database.db, id, 'support')).toMatchObject({ limits: { burst: 7 }, ceiling: 'internal' })
    expect(await findUser(database.db, id, 'u1')).toBeDefined()
  })

  test('apply: default is restored when a field is null', async () => {
    await apply(yamlOf())
    const reset = `workspaces: [{ name: "${name}", settings: { issuer: }, applications: [{ name: support, limits: { requests_per_minute: }, models: , default_model: }] }]`
    expect(await apply(reset)).toEqual([
      'updated workspace acme (issuer)',
      'updated application support (limits, models, default_model)',
    ])
    expect(await apply(reset)).toEqual(['unchanged workspace acme', 'unchanged application support'])
  })

  test('apply: key is rotated when its variable has another key, and a revoked key is refused', async () => {
    await apply(yamlOf())
    const old = environment.KEY ?? ''
    const restricted = await findKeyByHash(database.db, hashSecret(old, 'gk_') ?? Buffer.alloc(0))
    const inWorkspace = await workspaceId()
    await database.db.transaction().execute((tx) => updateKey(tx, inWorkspace, restricted?.keyId ?? '', { models: ['small'] }))
    environment.KEY = newCredential('gk_').secret
    expect((await apply(yamlOf())).filter((change) => change.includes('key'))).toEqual([
      'revoked key support/production',
      'issued key support/production',
    ])
    const hash = hashSecret(old, 'gk_') ?? Buffer.alloc(0)
    expect((await findKeyByHash(database.db, hash))?.revokedAt).toEqual(NOW)
    const newHash = hashSecret(environment.KEY, 'gk_') ?? Buffer.alloc(0)
    expect((await findKeyByHash(database.db, newHash))?.application.restrictions).toMatchObject([{ models: ['small'] }])
    environment.KEY = old
    await expect(apply(yamlOf())).rejects.toThrow(/applications\[0\]\.keys\[0\]\.from_env names a key that has been revoked/)
  })

  test('apply: keys of an archived Application stay revoked, and the file can still be applied', async () => {
    await apply(yamlOf())
    const inWorkspace = await workspaceId()
    const application = await findApplicationByName(database.db, inWorkspace, 'support')
    await database.db.transaction().execute(async (tx) => {
      await setArchived(tx, inWorkspace, application?.id ?? '', NOW)
      await revokeKeys(tx, { workspaceId: inWorkspace, applicationId: application?.id ?? '' }, NOW)
    })
    expect((await apply(yamlOf())).filter((change) => change.includes('key'))).toEqual([])
    environment.KEY = newCredential('gk_').secret
    expect((await apply(yamlOf())).filter((change) => change.includes('key'))).toEqual([])
  })

  test('apply: admin token is rotated when its variable has another token', async () => {
    await apply(yamlOf())
    environment.TOKEN = newCredential('ga_').secret
    expect((await apply(yamlOf())).slice(-2)).toEqual(['revoked admin token acme', 'issued admin token acme'])
    const tokens = ((await listAdminTokens(database.db, { limit: 100_000 }))?.data ?? []).filter((token) => token.name === name)
    expect(tokens.map(({ revokedAt }) => revokedAt)).toEqual([NOW, null])
  })

  test('apply: policy set is published only when its text has changed', async () => {
    await apply(yamlOf())
    writeFileSync(join(folder, 'policy.yaml'), `${POLICY}# reviewed\n`)
    expect((await apply(yamlOf())).at(-2)).toBe('published policy set acme v2')
    expect((await apply(yamlOf())).at(-2)).toBe('unchanged policy set acme v2')
    const page = await listPolicySets(database.db, await workspaceId(), { limit: 10 })
    expect(page?.data.map(({ version }) => version)).toEqual([2, 1])
  })

  test('apply: dry run returns the same changes and makes none', async () => {
    const dryRun = await apply(yamlOf(), { dryRun: true })
    expect(dryRun).toContain('created application support')
    expect(await findWorkspaceByName(database.db, name)).toBeUndefined()
    expect(signaled).toEqual(new Set())
    expect(await apply(yamlOf())).toEqual(dryRun)
  })

  test('apply: error names the line and the Workspace stays unchanged when the database has a conflict', async () => {
    await apply(yamlOf())
    const conflicting = `workspaces:
  - name: "${name}"
    settings: { issuer: https://other.example }
    users:
      - { id: u2, username: grace }
      - { id: u3, username: ada }
`
    const failure = await apply(conflicting).catch((error: Error) => error)
    expect(failure).toBeInstanceOf(ConfigError)
    expect((failure as Error).message).toMatch(
      /gatehouse\.yaml:6: workspaces\[0\]\.users\[1\]\.username "ada" is another user's$/,
    )
    expect((await findWorkspaceByName(database.db, name))?.settings.issuer).toBe('https://id.acme.example')
    expect(await findUser(database.db, await workspaceId(), 'u2')).toBeUndefined()
  })

  test('apply: key is refused when it belongs to another Application', async () => {
    await apply(yamlOf())
    const other = `workspaces: [{ name: "${name}", applications: [{ name: other, keys: [{ name: k, from_env: KEY }] }] }]`
    await expect(apply(other)).rejects.toThrow(/keys\[0\]\.from_env names a key of another Application/)
  })

  test('apply: creates a budget, changes its limit, and refuses another scope', async () => {
    const applyBudget = async (budget: string): Promise<string[]> => {
      const changes = await apply(
        `workspaces:\n  - name: acme\n    applications: [{ name: support }]\n    budgets:\n      - ${budget}\n`,
      )
      return changes.filter((change) => change.includes('budget'))
    }
    const { db } = database
    const fixed = 'name: team, scope: user, application: support, unit: usd, period: month, time_zone: Europe/Berlin'
    expect(await applyBudget(`{ ${fixed}, limit: 5 }`)).toEqual(['created budget team'])
    expect(await applyBudget(`{ ${fixed}, limit: 5 }`)).toEqual(['unchanged budget team'])
    expect(await applyBudget(`{ ${fixed}, limit: 7.5 }`)).toEqual(['updated budget team (limit)'])
    const workspace = await findWorkspaceByName(db, 'acme')
    const application = await findApplicationByName(db, workspace?.id ?? '', 'support')
    expect(await loadBudgets(db, workspace?.id ?? '')).toMatchObject([
      { name: 'team', amount: 7_500_000_000, applicationId: application?.id, member: null, timeZone: 'Europe/Berlin' },
    ])
    for (const [budget, message] of [
      ['name: team, scope: department, unit: usd, period: month', /cannot change/],
      ['name: other, scope: claim, unit: usd, period: day', /claim is required/],
      ['name: other, scope: workspace, unit: usd, period: day, time_zone: Mars', /time zone/],
    ] as const)
      await expect(applyBudget(`{ ${budget}, limit: 5 }`)).rejects.toThrow(message)
  })

  test('apply: audit log has every change with field names and without values', async () => {
    await apply(yamlOf())
    await apply(yamlOf({ limit: 30 }))
    const { data: records } = await searchRecords(database.db, await workspaceId(), { limit: 100 })
    expect(records.toReversed().map(({ endpoint, change }) => [endpoint, change?.action, change?.fields])).toEqual([
      ['admin', 'workspace.create', []],
      ['admin', 'user.create', ['username', 'role', 'attributes']],
      ['admin', 'provider.create', ['models']],
      ['admin', 'application.create', []],
      ['admin', 'key.issue', []],
      ['admin', 'policy_set.publish', []],
      ['admin', 'admin_token.issue', []],
      ['admin', 'application.update', ['limits']],
    ])
    const workspace = await findWorkspaceByName(database.db, name)
    const workspaceBox = secretBox(TEST_SECRET_KEY, 'workspace')
    const keys = (await loadWorkspaceKeys(database.db, workspaceBox, workspace?.id ?? '')) as WorkspaceKeys
    const verification = await verifyWorkspace(database.db, workspace?.id ?? '', keys)
    expect(verification).toMatchObject({ ok: true, records: 8 })
    expect(JSON.stringify(records)).not.toMatch(/u1"|g[ka]_|idacme|issuer":/)
  })

  test('apply: creates one Workspace when two processes apply at the same time', async () => {
    const results = await Promise.all([apply(yamlOf()), apply(yamlOf())])
    const created = results.flat().filter((change) => change === 'created workspace acme')
    expect(created).toHaveLength(1)
  })
})
