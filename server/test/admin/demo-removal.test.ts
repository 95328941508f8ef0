import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Environment } from '../../src/platform/config/environment.ts'
import { uuidOfWorkspace } from '../../src/platform/db/values.ts'
import { prepareStart } from '../../src/tools/start/prepare.ts'
import { createMembers } from '../messaging/client.ts'
import { runCommandLine } from '../support/command-line.ts'
import { onDatabases } from '../support/database.ts'
import { signInOperator } from '../support/operators.ts'
import { createVectors } from '../support/own-data.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { runRecurringJob } from '../support/recurring-jobs.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { type Admin, adminClient, expectError, type Json } from './client.ts'

let server: TestServer
let env: Environment
let admin: Admin
let demo: string

const WAIT = { timeout: 20_000, interval: 50 }

const demoKey = (): string => server.demo.applications[0]?.api_key ?? ''
const statusWith = async (key: string): Promise<number> =>
  (await fetch(`${server.base}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status

/** A chat that the demo's policy holds for a reviewer. */
const chat = (application: string, workspace: string): Promise<Json> => {
  const content = 'Please wire 48,000 EUR to Brightwater Supplies today, invoice 2207.'
  const body = { model: 'demo-mini', messages: [{ role: 'user', content }], governance: { user: { id: 'alice' } } }
  return admin.send('POST', `/applications/${application}/chat`, body, { workspace })
}

/** The tables of the schema with a `workspace_id` that have rows of the Workspace, and how many. */
async function countRows(workspaceId: string): Promise<Record<string, number>> {
  const { db } = server.context.database
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = current_schema() and column_name = 'workspace_id' order by table_name`.execute(db)
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(name)} where workspace_id = ${uuidOfWorkspace(workspaceId)}`.execute(db)
    if (rows[0]?.count) counts[name] = rows[0].count
  }
  return counts
}

/** Creates what an operator adds. */
async function add(workspace: string): Promise<string> {
  const { id } = await admin.create('/applications', { name: 'billing' }, { workspace })
  await admin.create(`/applications/${id}/keys`, { name: 'ci' }, { workspace })
  await admin.create('/providers', { id: 'ours', base_url: 'https://llm.example' }, { workspace })
  await admin.create('/budgets', { name: 'team', scope: 'workspace', unit: 'usd', limit: 5, period: 'month' }, { workspace })
  await admin.create('/webhooks', { url: 'https://hooks.example.com/gatehouse' }, { workspace })
  await admin.create('/views', { page: 'audit', name: 'denied', query: {}, shared: true }, { workspace })
  await admin.create('/policy-drafts', { title: 'next', note: '', source: 'name: next\nrules: []\n' }, { workspace })
  return id
}

/** A direct conversation of two new users, with a message that has a file. Returns the attachment and who sent it. */
async function sendFile(workspace: string) {
  const { ann, ben } = await createMembers(server, ['ann', 'ben'], workspace)
  const { id: conversation_id } = await ann.create('/conversations', { contact_id: ben.id })
  const form = new FormData()
  form.append('file', new Blob(['quarterly figures'], { type: 'text/plain' }), 'figures.txt')
  const { id } = await ann.create('/attachments', undefined, { raw: form })
  await ann.create('/messages', { conversation_id, message: 'with a file', attachments: [id] })
  return { id, ann }
}

const filesOnDisk = (): number => {
  const entries = readdirSync(join(server.config.dataDir, 'files'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).length
}

/** The environment of a server on a new database, for each kind of database in this run, with the function that drops it. */
const databases = onDatabases<{ readonly env: Environment; readonly drop?: () => Promise<void> }>(
  async () => ({ env: {} }),
  async (url) => {
    const own = await createOwnDatabase(url)
    return { env: { DATABASE_URL: own.url, GATEHOUSE_SECRET_KEY: 'k'.repeat(40) }, drop: own.drop }
  },
)

describe.each(databases)('on $name', ({ open }) => {
  let drop: (() => Promise<void>) | undefined
  beforeEach(async () => {
    ;({ env, drop } = await open())
    server = await startServer(env)
    admin = adminClient(server)
    demo = server.demo.workspace.id
  })
  afterEach(async () => {
    await server.close()
    await drop?.()
  })

  test('demo: removing it deletes its rows in every table, and no others [ADM-API-20]', async () => {
    const other = await admin.workspace('production')
    const application = await add(other)
    await add(demo)
    await chat(server.demo.applications[0]?.id ?? '', demo)
    await chat(application, other)
    const { contents, workspace, removable } = await admin.get('/demo')
    expect([workspace, removable]).toEqual([{ id: demo, name: 'demo' }, true])
    const countsOf = (kind: string) => contents.find((content: Json) => content.kind === kind)
    expect(countsOf('applications')).toEqual({ kind: 'applications', total: 3, added: 1, names: ['billing'] })
    expect(countsOf('providers')).toMatchObject({ total: 2, added: 1, names: ['ours'] })
    expect(countsOf('keys')).toMatchObject({ total: 5, added: 1 })
    expect(countsOf('documents')).toMatchObject({ added: 0 })
    expect(countsOf('documents').total).toBeGreaterThan(0)
    expect(countsOf('reviews')).toMatchObject({ total: 1 })

    const before = await countRows(other)
    expect(Object.keys(await countRows(demo)).length).toBeGreaterThan(20)
    expect(await statusWith(demoKey())).toBe(200)
    expect((await admin.send('POST', '/demo/remove', { name: 'demo' })).status).toBe(204)

    expect(await countRows(demo)).toEqual({})
    expect(await statusWith(demoKey())).toBe(401)
    expect((await chat(server.demo.applications[0]?.id ?? '', demo)).status).toBe(404)
    expect((await admin.get('/workspaces')).data.map(({ id }: Json) => id)).toEqual([other])
    expectError(await admin.send('GET', '/demo'), 'NOT_FOUND')
    const recorded = await admin.records(5)
    expect(recorded.map(({ change }) => [change?.action, change?.object_id])).toContainEqual(['workspace.delete', demo])
    // The record of the removal is in this log.
    await vi.waitFor(async () => {
      const { audit_record: records = 0, ...rest } = await countRows(other)
      expect(records).toBeGreaterThan(before.audit_record ?? 0)
      expect(Object.keys(before).filter((table) => !(table in rest) && table !== 'audit_record')).toEqual([])
    }, WAIT)
    const { application: kept, api_key, provider, budget, webhook, saved_view, policy_draft } = await countRows(other)
    expect({ kept, api_key, provider, budget, webhook, saved_view, policy_draft }).toEqual({
      ...{ kept: 1, api_key: 1, provider: 1, budget: 1, webhook: 1, saved_view: 1, policy_draft: 1 },
    })
  })

  test('demo: only its own name in full removes it, and only when there is another Workspace', async () => {
    expectError(await admin.send('POST', '/demo/remove', { name: 'demo' }), 'CONFLICT', 'name')
    expect(await admin.get('/demo')).toMatchObject({ removable: false })
    await admin.workspace('production')
    expectError(await admin.send('POST', '/demo/remove', { name: 'production' }), 'CONFLICT', 'name')
    expectError(await admin.send('POST', '/demo/remove', { name: 'Demo' }), 'NOT_FOUND')
    expectError(await admin.send('POST', '/demo/remove', {}), 'VALIDATION_ERROR')
    expect(await statusWith(demoKey())).toBe(200)
    expect(await admin.get('/setup')).toMatchObject({ is_demo: true })
    expect(await admin.get('/setup', { workspace: 'production' })).toMatchObject({ is_demo: false })
  })

  test('demo: its operators and admin token go with it if another owner can sign in', async () => {
    const { id: own, browser } = await signInOperator(server, 'owner')
    await admin.workspace('production')
    const file = join(server.config.dataDir, 'demo.json')
    const before = (await browser.get('/admin/v1/demo')).body
    expect(before).toMatchObject({ operators: ['owner@demo.example', 'reviewer@demo.example'], owner_stays: false })
    expect((await browser.post('/admin/v1/demo/remove', { name: 'demo' })).status).toBe(204)
    expect((await browser.get('/admin/v1/operators')).body.data.map(({ id }: Json) => id)).toEqual([own])
    expectError(await admin.send('GET', '/workspaces'), 'AUTH_KEY_REVOKED')
    expect(existsSync(file)).toBe(false)
    const { data } = (await browser.get('/admin/v1/audit?limit=4')).body
    const actions = data.map(({ change }: Json) => change?.action).toSorted()
    expect(actions).toEqual(['admin_token.revoke', 'operator.delete', 'operator.delete', 'workspace.delete'])
  })

  test('demo: its owner stays if there is no other owner, and the next start does not seed it again', async () => {
    await admin.workspace('production')
    const run = (...args: string[]) =>
      runCommandLine(['demo', 'remove', ...args], { ...env, GATEHOUSE_DATA: server.config.dataDir })
    const shown = await run()
    expect(shown).toMatchObject({ code: 1, err: expect.stringContaining('--confirm demo') })
    expect(shown.out).toMatch(/^applications +2 +0/m)
    expect(await run('--confirm', 'production')).toMatchObject({ code: 1 })
    expect(await statusWith(demoKey())).toBe(200)

    expect(await run('--confirm', 'demo')).toMatchObject({ code: 0, err: expect.stringContaining('its owner stays') })
    await vi.waitFor(async () => expect(await statusWith(demoKey())).toBe(401), { timeout: 20_000, interval: 50 })
    expect((await admin.get('/operators')).data.map(({ email }: Json) => email)).toEqual(['owner@demo.example'])
    expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining('no demo') })
    await prepareStart(server.context, { isTerminal: false, write: () => {} })
    expect((await admin.get('/workspaces')).data.map(({ name }: Json) => name)).toEqual(['production'])
  })

  test('demo: its files and vectors are deleted, and none of another Workspace', async () => {
    const other = await admin.workspace('production')
    await sendFile(demo)
    const kept = await sendFile(other)
    await chat(server.demo.applications[0]?.id ?? '', demo)
    await createVectors(server.context.database)
    expect(filesOnDisk()).toBe(2)
    expect(await countRows(demo)).toMatchObject({ message_attachment: 1 })

    expect((await admin.send('POST', '/demo/remove', { name: 'demo' })).status).toBe(204)
    expect(await countRows(demo)).toEqual({})
    await runRecurringJob(server.context, 'remove files')
    expect(filesOnDisk()).toBe(1)
    const download = await fetch(`${server.base}/v1/attachments/${kept.id}/content`, {
      headers: { authorization: `Bearer ${kept.ann.token}` },
    })
    expect(await download.text()).toBe('quarterly figures')
    const { rows } = await server.context.database.pool.query('select from retrieval_vector')
    expect(rows).toEqual([])
  })

  test('demo: requests in flight while it is removed fail, and leave nothing behind', async () => {
    const production = await admin.workspace('production')
    const [application] = server.demo.applications
    let isRunning = true
    const statuses = new Set<number>()
    const send = async () => {
      const body = { model: 'demo-mini', messages: [{ role: 'user', content: 'Good morning' }] }
      const headers = { authorization: `Bearer ${application?.api_key}`, 'content-type': 'application/json' }
      while (isRunning) {
        const request = { method: 'POST', headers, body: JSON.stringify(body) }
        statuses.add((await fetch(`${server.base}/v1/chat/completions`, request)).status)
      }
    }
    const senders = [send(), send(), send(), send()]
    await vi.waitFor(() => expect(statuses.has(200)).toBe(true), WAIT)
    expect((await admin.send('POST', '/demo/remove', { name: 'demo' })).status).toBe(204)
    expect(await statusWith(application?.api_key ?? '')).toBe(401)
    isRunning = false
    await Promise.all(senders)
    expect([...statuses].filter((status) => ![200, 401, 404, 503].includes(status))).toEqual([])
    expect(await countRows(demo)).toEqual({})
    expect(await admin.get('/applications', { workspace: production })).toMatchObject({ data: [] })
  })
})
