import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { postgresUrl } from '../support/database.ts'
import { runGatehouse } from '../support/gatehouse-process.ts'
import { cleanupsAfterEach } from '../support/nodes.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { testFolder } from '../support/temporary-folder.ts'

const url = postgresUrl()
const cleanups = cleanupsAfterEach()

/** Needs TEST_DATABASE_URL. */
describe.skipIf(url === null)('nodes with different secret keys on one database', { timeout: 240_000 }, () => {
  const secretKeyCheck = async (node: ServerProcess): Promise<unknown> => {
    const ready = await node.readyz()
    return [ready?.status, ready?.body.checks.find(({ name }) => name === 'secret_key')?.status]
  }

  test('secret key: 503 for a new Workspace when the key of the node does not fit the database', async () => {
    const folder = testFolder()
    const database = await createOwnDatabase(url ?? '')
    cleanups.push(database.drop)
    const env = { DATABASE_URL: database.url, GATEHOUSE_DATA: join(folder, 'none'), GATEHOUSE_DRAIN_SECONDS: '0' }
    const start = async (letter: string): Promise<ServerProcess> => {
      const node = await startServerProcess({ ...env, GATEHOUSE_SECRET_KEY: letter.repeat(40) })
      cleanups.push(node.remove)
      return node
    }
    const right = await start('a')
    const wrong = await start('b')
    const command = ['token', 'create', '--name', 'ops']
    const { out } = await runGatehouse(folder, { ...env, GATEHOUSE_SECRET_KEY: 'a'.repeat(40) }, command)
    const token = /ga_[\w-]{43}/.exec(out)?.[0]
    const create = async ({ base }: ServerProcess, name: string): Promise<unknown> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const response = await fetch(`${base}/admin/v1/workspaces`, { method: 'POST', headers, body: JSON.stringify({ name }) })
      const { error } = (await response.json()) as { error?: { code: string } }
      return [response.status, error?.code]
    }
    expect(await create(right, 'first')).toEqual([201, undefined])
    expect(await secretKeyCheck(wrong)).toEqual([503, 'fail'])
    expect(await create(wrong, 'second')).toEqual([503, 'UNAVAILABLE'])
    expect(await secretKeyCheck(wrong)).toEqual([503, 'fail'])
    expect(await create(right, 'second')).toEqual([201, undefined])
    expect(await secretKeyCheck(right)).toEqual([200, 'ok'])
  })
})
