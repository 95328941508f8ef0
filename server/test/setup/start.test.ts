import { chmodSync, cpSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { postgresUrl } from '../support/database.ts'
import { runGatehouse, startGatehouse } from '../support/gatehouse-process.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { testFolder } from '../support/temporary-folder.ts'

const url = postgresUrl()

let folder: string
beforeEach(() => {
  folder = testFolder()
})

describe('start on the embedded database [ADM-ENV-3]', () => {
  test('data folder: permissions are restricted when others can read it, and the log says so', async () => {
    const data = join(folder, 'data')
    cpSync(inject('seededDataDir'), data, { recursive: true })
    chmodSync(data, 0o755)
    chmodSync(join(data, 'demo.json'), 0o644)
    const server = await startGatehouse(folder, { GATEHOUSE_DATA: data })
    await server.stop()
    expect(statSync(data).mode & 0o777).toBe(0o700)
    expect(statSync(join(data, 'demo.json')).mode & 0o777).toBe(0o600)
    expect(server.out()).toContain('other users of this machine can no longer read it')
    // One line has the address.
    expect(server.out().match(/listening/gi)).toHaveLength(1)
  })

  test('misspelt variables: the start exits with 2 and names the correct variable [ADM-ENV-9]', async () => {
    const result = await runGatehouse(folder, { GATEHOUSE_DATA: join(folder, 'data'), GATEHOUSE_SECRT_KEY: 'x'.repeat(40) }, [
      'serve',
    ])
    expect(result).toMatchObject({ code: 2, out: '' })
    expect(result.err).toBe('gatehouse: Unknown variable GATEHOUSE_SECRT_KEY. Did you mean GATEHOUSE_SECRET_KEY?\n')
  })
})

describe.skipIf(url === null)('start on PostgreSQL', { timeout: 240_000 }, () => {
  test('start: needs no data folder, seeds no demo, and commands create the first operator and token', async () => {
    const own = await createOwnDatabase(url ?? '')
    const env = {
      DATABASE_URL: own.url,
      GATEHOUSE_SECRET_KEY: 'k'.repeat(40),
      // No user can create a folder there, not even root.
      GATEHOUSE_DATA: '/proc/gatehouse',
    }
    mkdirSync(join(folder, 'cwd'))
    const server = await startGatehouse(join(folder, 'cwd'), env)
    try {
      expect((await fetch(`${server.base}/readyz`)).status).toBe(200)
      expect(server.err()).toContain('gatehouse operator first-login')
      expect(server.err()).not.toMatch(/token=|g[ka]_\w{20}/)

      const login = await runGatehouse(folder, env, ['operator', 'first-login'])
      expect(login).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^http:\/\/\S+\/dashboard\/welcome\?token=[\w-]{43}\n$/),
      })
      const token = await runGatehouse(folder, env, ['token', 'create', '--name', 'ops'])
      const headers = { authorization: `Bearer ${token.out.trim()}` }
      const workspaces = await fetch(`${server.base}/admin/v1/workspaces`, { headers })
      expect(await workspaces.json()).toMatchObject({ data: [] })

      const accepted = await fetch(`${server.base}/auth/gatehouse/accept`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          token: new URL(login.out.trim()).searchParams.get('token'),
          name: 'Ann',
          email: 'ann@example.com',
          password: 'correct horse battery',
        }),
      })
      expect(accepted.status).toBe(200)
      expect(await runGatehouse(folder, env, ['operator', 'first-login'])).toMatchObject({
        code: 1,
        err: expect.stringContaining('gatehouse operator invite'),
      })
    } finally {
      await server.stop()
      await own.drop()
    }
  })
})
