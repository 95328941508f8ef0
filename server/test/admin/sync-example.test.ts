import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startServer } from '../support/server.ts'
import { testFolder } from '../support/temporary-folder.ts'
import { adminClient, type Json } from './client.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')
const server = await closeAfterAll(startServer())
const admin = adminClient(server)

let folder: string
beforeEach(() => {
  folder = testFolder(join(EXAMPLES, 'sharepoint'))
})

const run = promisify(execFile)
async function sync(...options: readonly string[]): Promise<string> {
  const args = [join(EXAMPLES, 'sync-knowledge.ts'), folder, '--collection', 'people', ...options]
  const env = { ...process.env, GATEHOUSE_URL: server.base, GATEHOUSE_ADMIN: server.demo.admin_token }
  return (await run(process.execPath, args, { env })).stdout
}

const TITLES = ['Company bicycles', 'Dividend', 'Parental leave', 'Relocation']

/** Titles of the example's documents that the user finds. */
async function found(user: string): Promise<string[]> {
  const { user_token: userToken } = server.demo.users.find(({ id }) => id === user) as { user_token: string }
  const response = await fetch(`${server.base}/v1/knowledge/search`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.demo.applications[0]?.api_key}`,
      'x-gateway-user-token': userToken,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: 'dividend bicycles relocation leave office', limit: 20 }),
  })
  const { data }: Json = await response.json()
  return TITLES.filter((title) => data.some(({ document_title }: Json) => document_title === title))
}

function change(edit: (site: Json) => void): void {
  const path = join(folder, 'site.json')
  const site = JSON.parse(readFileSync(path, 'utf8'))
  edit(site)
  writeFileSync(path, JSON.stringify(site))
}

test('examples/sync-knowledge.ts: copies documents, groups and permissions, and follows their changes', async () => {
  expect(await sync()).toBe('groups: 3 groups, 0 deleted\ndocuments: 4 added\n')
  const handbook = ['Company bicycles', 'Parental leave']
  expect([await found('alice'), await found('bob'), await found('carol')]).toEqual([
    handbook,
    ['Relocation'],
    [...handbook, 'Dividend', 'Relocation'].sort(),
  ])

  const records = await admin.records(100)
  expect(await sync()).toBe('groups: 3 groups, 0 deleted\ndocuments: 4 unchanged\n')
  expect(await admin.records(100)).toEqual(records)

  change((site) => {
    // Alice leaves the support, which is a part of the staff, and Bob joins the board. The dividend is announced.
    site.groups.support.users = []
    site.groups.board.users.push('bob')
    site.permissions['board/dividend.md'] = { groups: ['staff'], users: ['alice'] }
  })
  writeFileSync(join(folder, 'files/handbook/bicycles.html'), '<h1>Company bicycles</h1><p>The lease of bicycles ends.</p>')
  expect(await sync()).toBe('groups: 3 groups, 0 deleted\ndocuments: 1 relabelled, 2 unchanged, 1 changed\n')
  await expect.poll(() => found('alice'), { timeout: 20_000 }).toEqual(['Dividend'])
  await expect.poll(() => found('bob'), { timeout: 20_000 }).toEqual([...handbook, 'Dividend', 'Relocation'].sort())

  change((site) => {
    delete site.groups.support
    site.groups.staff.groups = ['board']
  })
  rmSync(join(folder, 'files/board/relocation.md'))
  await expect(sync()).rejects.toThrow('more than 20 %')
  expect(await sync('--force')).toBe('groups: 2 groups, 0 deleted\ndocuments: 3 unchanged, 1 deleted\n')
  expect(await found('bob')).toEqual([...handbook, 'Dividend'].sort())
}, 120_000)
