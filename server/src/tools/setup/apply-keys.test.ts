import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabases } from '../../../test/support/fresh-database.ts'
import { TEST_SECRET_KEY } from '../../../test/support/seed.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { loadBudgets } from '../../domains/budgets/budget-store.ts'
import { findKeyByHash } from '../../domains/identity/api-key-store.ts'
import { findWorkspaceByName } from '../../domains/identity/workspace-store.ts'
import { newCredential } from '../../platform/lib/credential.ts'
import { secretBox } from '../../platform/lib/secret-box.ts'
import { applyConfiguration } from './apply.ts'
import { hashSecret } from './apply-secrets.ts'
import { describeChange } from './change.ts'
import { readGatehouseFile } from './gatehouse-file.ts'

const NOW = new Date('2026-03-02T12:00:00.000Z')

describe.each(freshDatabases())('teams and keys of a file on $name', async ({ open }) => {
  let environment: Record<string, string>
  const fresh = await open()
  const { database } = fresh
  const folder = temporaryFolder()
  afterAll(() => fresh.remove())
  beforeEach(async () => {
    await fresh.empty()
    environment = { KEY: newCredential('gk_').secret }
  })

  const apply = async (yaml: string): Promise<string[]> => {
    const path = join(folder, 'gatehouse.yaml')
    writeFileSync(path, yaml)
    const changes = await applyConfiguration(
      readGatehouseFile(path, (variable) => environment[variable]),
      {
        database,
        clock: { now: () => NOW },
        workspaceBox: secretBox(TEST_SECRET_KEY, 'workspace'),
        providerBox: secretBox(TEST_SECRET_KEY, 'provider'),
      },
    )
    return changes.map(describeChange)
  }
  const workspaceId = async (): Promise<string> => (await findWorkspaceByName(database.db, 'acme'))?.id ?? ''

  const TEAM = '{ name: payroll, limits: { requests_per_minute: 5 }, models: [small], members: [u-1] }'
  const KEY =
    '{ name: ci, from_env: KEY, team: payroll, limits: { tokens_per_minute: 900 }, models: [tiny], tags: [ci], metadata: { owner: ann } }'
  const yamlWith = (team = TEAM, key = KEY, budgets = '') =>
    `workspaces: [{ name: acme, teams: [${team}], applications: [{ name: support, keys: [${key}] }], budgets: [${budgets}] }]`
  const findDeclaredKey = () => findKeyByHash(database.db, hashSecret(environment.KEY ?? '', 'gk_') ?? Buffer.alloc(0))

  test('apply: sets them, changes them field by field, resets them with null, and changes nothing the second time', async () => {
    expect(await apply(yamlWith())).toEqual([
      'created workspace acme',
      'created team payroll',
      'created application support',
      'issued key support/ci',
    ])
    expect((await findDeclaredKey())?.application.restrictions).toMatchObject([
      { of: 'key', models: ['tiny'], limits: { tokens_per_minute: 900 } },
      { of: 'team', models: ['small'], members: ['u-1'], limits: { requests_per_minute: 5 } },
    ])
    const unchanged = await apply(yamlWith())
    expect(unchanged.filter((change) => !change.startsWith('unchanged'))).toEqual([])
    const reset = yamlWith(
      '{ name: payroll, limits: { requests_per_minute: , tokens_per_minute: 70 }, members: }',
      '{ name: ci, from_env: KEY, team: , limits: { requests_per_minute: 3 }, models: , tags: , metadata: }',
    )
    expect((await apply(reset)).filter((change) => !change.startsWith('unchanged'))).toEqual([
      'updated team payroll (limits, members)',
      'updated key support/ci (limits, models, team_id, tags, metadata)',
    ])
    expect((await findDeclaredKey())?.application.restrictions).toMatchObject([
      { of: 'key', models: null, limits: { requests_per_minute: 3, tokens_per_minute: 900 } },
    ])
  })

  test('apply: a key with a new value has its declared fields', async () => {
    await apply(yamlWith())
    environment.KEY = newCredential('gk_').secret
    expect((await apply(yamlWith())).slice(-2)).toEqual(['revoked key support/ci', 'issued key support/ci'])
    expect((await findDeclaredKey())?.application.restrictions).toMatchObject([{ models: ['tiny'] }, { of: 'team' }])
  })

  test('apply: budgets name a team and a key, and a rotated key stays in its budget', async () => {
    const of = (scope: string, member: string) =>
      `{ name: "of ${scope}", scope: ${scope}, member: "${member}", unit: usd, limit: 5, period: day }`
    const budgets = `${of('team', 'payroll')}, ${of('key', 'support/ci')}`
    await apply(yamlWith(TEAM, KEY, budgets))
    const inWorkspace = await workspaceId()
    const { keyId = '' } = (await findDeclaredKey()) ?? {}
    const members = async () => (await loadBudgets(database.db, inWorkspace)).map(({ member }) => member)
    expect(await members()).toEqual([expect.stringMatching(/^tea_/), keyId])
    environment.KEY = newCredential('gk_').secret
    expect((await apply(yamlWith(TEAM, KEY, budgets))).slice(-2)).toEqual(['unchanged budget of team', 'unchanged budget of key'])
    expect(await members()).toEqual([expect.stringMatching(/^tea_/), keyId])
  })

  test.each([
    ['applications[0].keys[0].team names no team', yamlWith(TEAM, '{ name: ci, from_env: KEY, team: unknown }')],
    [
      'budgets[0].member names no key',
      yamlWith(TEAM, KEY, '{ name: b, scope: key, member: support/unknown, unit: usd, limit: 5, period: day }'),
    ],
  ])('apply: refuses the file because %s', async (message, yaml) => {
    await expect(apply(yaml)).rejects.toThrow(message)
  })
})
