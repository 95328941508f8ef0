import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { newCredential } from '../../src/platform/lib/credential.ts'
import { postgresUrl } from '../support/database.ts'
import { type GatehouseProcess, runGatehouse, startGatehouse } from '../support/gatehouse-process.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { testFolder } from '../support/temporary-folder.ts'

const policy = (when: string) => `name: acme\nrules:\n  - {id: a, description: b, at: [input], when: "${when}", verdict: deny}\n`
const DECLARED = policy('false')
const EMERGENCY = policy('true')

const file = (limit: number) => `
admin_tokens: [{ name: ops, from_env: OPS_TOKEN }]
workspaces:
  - name: acme
    applications:
      - name: support
        limits: { requests_per_minute: ${limit} }
        keys: [{ name: production, from_env: SUPPORT_KEY }]
    users: [{ id: u1, username: ada }]
    providers: [{ id: backup, kind: stub, enabled: true, models: [{ id: m }] }]
    policy: { file: policy.yaml }
`

const postgres = postgresUrl()
const databases = [{ name: 'embedded', url: null }, ...(postgres === null ? [] : [{ name: 'postgresql', url: postgres }])]

/** On PostgreSQL a node has several processes, and stops only after balancers have noticed. */
const ONE_QUICK_PROCESS = { GATEHOUSE_PROCESSES: '1', GATEHOUSE_DRAIN_SECONDS: '0' }

describe.each(databases)('restart with a gatehouse.yaml on $name', { timeout: 240_000 }, ({ url }) => {
  let folder: string
  let env: Record<string, string>
  let cleanUp: (() => Promise<void>) | undefined
  const running = new Set<GatehouseProcess>()

  beforeEach(async () => {
    folder = testFolder()
    env = {
      GATEHOUSE_DATA: join(folder, 'data'),
      OPS_TOKEN: newCredential('ga_').secret,
      SUPPORT_KEY: newCredential('gk_').secret,
    }
    if (url === null) cpSync(inject('templateDataDir'), join(folder, 'data'), { recursive: true })
    else {
      const own = await createOwnDatabase(url)
      cleanUp = own.drop
      env = { ...env, ...ONE_QUICK_PROCESS, DATABASE_URL: own.url, GATEHOUSE_SECRET_KEY: 'k'.repeat(40) }
    }
    writeFileSync(join(folder, 'gatehouse.yaml'), file(60))
    writeFileSync(join(folder, 'policy.yaml'), DECLARED)
  })
  afterEach(async () => {
    for (const server of running) await server.stop()
    running.clear()
    await cleanUp?.()
    cleanUp = undefined
  })

  const start = async (): Promise<GatehouseProcess> => {
    const server = await startGatehouse(folder, env)
    running.add(server)
    return server
  }
  const stop = async (server: GatehouseProcess): Promise<void> => {
    running.delete(server)
    expect(await server.stop()).toBe(0)
  }
  const admin = async <T>(
    { base }: GatehouseProcess,
    path: string,
    body?: object,
    method = body ? 'POST' : 'GET',
  ): Promise<T> => {
    const response = await fetch(`${base}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${env.OPS_TOKEN}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect([path, response.status]).toEqual([path, expect.toSatisfy((status) => status < 300)])
    return (response.status === 204 ? {} : await response.json()) as T
  }
  interface Version {
    readonly version: number
    readonly active: boolean
    readonly declared: boolean | null
    readonly published_by: string
  }
  const readActiveVersion = async (server: GatehouseProcess): Promise<Version | undefined> =>
    (await admin<{ data: Version[] }>(server, '/policy-sets')).data.find(({ active }) => active)
  interface Application {
    readonly id: string
    readonly name: string
    readonly limits: { readonly requests_per_minute: number }
  }
  const application = async (server: GatehouseProcess): Promise<Application> =>
    (await admin<{ data: Application[] }>(server, '/applications')).data.find(({ name }) => name === 'support') as Application

  /** Changes over the API everything that the file declares. */
  const changeOverApi = async (server: GatehouseProcess): Promise<void> => {
    const { id } = await application(server)
    const [key] = (await admin<{ data: { id: string }[] }>(server, `/applications/${id}/keys`)).data
    await admin(server, '/policy-sets', { source: EMERGENCY })
    await admin(server, `/applications/${id}`, { limits: { requests_per_minute: 1 } }, 'PATCH')
    await admin(server, `/keys/${key?.id}/revoke`, {})
    await admin(server, '/providers/backup', { enabled: false }, 'PATCH')
    await admin(server, '/users/u1', undefined, 'DELETE')
  }

  test('restart: changes over the API stay when the file is the same, and the log names the differences', async () => {
    const first = await start()
    expect(await readActiveVersion(first)).toMatchObject({ version: 1, declared: true })
    await changeOverApi(first)
    expect(await readActiveVersion(first)).toMatchObject({ version: 2, declared: false })
    await stop(first)

    const second = await start()
    expect(await readActiveVersion(second)).toMatchObject({ version: 2, declared: false })
    expect((await application(second)).limits.requests_per_minute).toBe(1)
    expect(await admin(second, '/providers/backup')).toMatchObject({ enabled: false })
    const users = await admin<{ data: { id: string }[] }>(second, '/users')
    expect(users.data.map(({ id }) => id)).not.toContain('u1')
    await stop(second)
    for (const line of [
      'policy set (active) differs from its declaration (acme v2, published over the API)',
      'application support differs from its declaration (limits)',
      'key support/production from_env names a key that has been revoked',
      'provider backup differs from its declaration (enabled)',
      'user ada is declared, but does not exist',
    ])
      expect(second.out()).toContain(line)
    expect(second.out()).not.toMatch(/g[ka]_\w{20}/)
  })

  // How a declaration is applied does not depend on the database: the rest is tested on PostgreSQL where there is one.
  if (url !== postgres) return

  test('restart: a changed policy file does not replace a policy set of an operator until it is applied [ADM-CONF-1]', async () => {
    const first = await start()
    // `gatehouse apply` would refuse a declared key that was revoked.
    await admin(first, '/policy-sets', { source: EMERGENCY })
    await stop(first)
    writeFileSync(join(folder, 'policy.yaml'), `${DECLARED}# reviewed\n`)

    const second = await start()
    expect(await readActiveVersion(second)).toMatchObject({ version: 2, declared: false })
    const check = await runGatehouse(folder, env, ['apply', '--check'])
    expect(check).toMatchObject({ code: 1, out: expect.stringContaining('policy set acme v3 in place of acme v2') })
    const { out } = await runGatehouse(folder, env, ['apply'])
    expect(out).toContain('published policy set acme v3 in place of acme v2, published over the API')
    expect(await readActiveVersion(second)).toMatchObject({ version: 3, declared: true, published_by: 'gatehouse' })
    await stop(second)
    expect(second.out()).toContain('policy set (active) differs from its declaration (acme v2, published over the API)')

    writeFileSync(join(folder, 'policy.yaml'), `${DECLARED}# reviewed again\n`)
    const third = await start()
    expect(await readActiveVersion(third)).toMatchObject({ version: 4, declared: true, published_by: 'gatehouse' })
    await stop(third)
  })

  test("restart: a field keeps the operator's value when only another field of the file has changed", async () => {
    const first = await start()
    const { id } = await application(first)
    await admin(first, `/applications/${id}`, { limits: { requests_per_minute: 1 } }, 'PATCH')
    await admin(first, '/providers/backup', { enabled: false }, 'PATCH')
    await stop(first)
    const declared = file(60).replace('kind: stub,', 'kind: stub, weight: 3,').replace('limits: {', 'limits: { burst: 7,')
    writeFileSync(join(folder, 'gatehouse.yaml'), declared)

    const second = await start()
    expect((await application(second)).limits).toMatchObject({ requests_per_minute: 1, burst: 7 })
    expect(await admin(second, '/providers/backup')).toMatchObject({ enabled: false, weight: 3 })
    await stop(second)
    expect(second.out()).toContain('application support differs from its declaration (limits)')
    expect(second.out()).toContain('provider backup differs from its declaration (enabled)')
    writeFileSync(join(folder, 'gatehouse.yaml'), declared.replace('requests_per_minute: 60', 'requests_per_minute: 50'))

    const third = await start()
    expect((await application(third)).limits.requests_per_minute).toBe(50)
    expect(await admin(third, '/providers/backup')).toMatchObject({ enabled: false })
    await stop(third)
  })

  test('restart: a Workspace is still the declared one when it was renamed over the API', async () => {
    const first = await start()
    const [workspace] = (await admin<{ data: { id: string }[] }>(first, '/workspaces')).data
    await changeOverApi(first)
    await admin(first, `/workspaces/${workspace?.id}`, { name: 'renamed' }, 'PATCH')
    await stop(first)

    const second = await start()
    const { data } = await admin<{ data: { id: string; name: string }[] }>(second, '/workspaces')
    expect(data).toMatchObject([{ id: workspace?.id, name: 'renamed' }])
    expect((await application(second)).limits.requests_per_minute).toBe(1)
    expect(await readActiveVersion(second)).toMatchObject({ version: 2, declared: false })
    await stop(second)
    expect(second.out()).toContain('workspace acme was renamed to renamed')
  })

  test('apply: applies unchanged declarations too, and --check exits with 1 when something differs', async () => {
    const first = await start()
    const { id } = await application(first)
    await admin(first, '/policy-sets', { source: EMERGENCY })
    await admin(first, `/applications/${id}`, { limits: { requests_per_minute: 1 } }, 'PATCH')

    const check = await runGatehouse(folder, env, ['apply', '--check'])
    expect(check).toMatchObject({ code: 1, out: expect.stringContaining('updated application support (limits)') })
    expect((await application(first)).limits.requests_per_minute).toBe(1)
    expect(await runGatehouse(folder, env, ['apply'])).toMatchObject({ code: 0 })
    expect((await application(first)).limits.requests_per_minute).toBe(60)
    expect(await readActiveVersion(first)).toMatchObject({ version: 3, declared: true })
    expect(await runGatehouse(folder, env, ['apply', '--check'])).toMatchObject({ code: 0 })
  })

  test.skipIf(url === null)('restart: an emergency policy stays active when several nodes start together', async () => {
    const nodes = await Promise.all([start(), start()])
    const [first] = nodes
    if (!first) throw new Error('no node')
    await admin(first, '/policy-sets', { source: EMERGENCY })
    await Promise.all(nodes.map(stop))
    const again = await Promise.all([start(), start()])
    for (const node of again) expect(await readActiveVersion(node)).toMatchObject({ version: 2, declared: false })
  })
})
