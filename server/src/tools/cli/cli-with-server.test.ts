import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { runCommandLine } from '../../../test/support/command-line.ts'
import { Browser } from '../../../test/support/operators.ts'
import { startServer } from '../../../test/support/server.ts'

const server = await startServer()
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'))
writeFileSync(join(folder, 'gatehouse.yaml'), 'workspaces: [{ name: acme, applications: [{ name: support }] }]\n')
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/** Runs a command while the server is running. */
const runCommand = (...args: string[]) => runCommandLine(args, { GATEHOUSE_DATA: server.config.dataDir })

const statusWith = async (key: string): Promise<number> =>
  (await fetch(`${server.base}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status

test('key: works at once when issued, is listed by its first letters, and gets 401 when revoked', async () => {
  const issued = await runCommand('key', 'issue', '--application', 'support', '--name', 'ci')
  expect(issued.out).toMatch(/^gk_[A-Za-z0-9_-]{43}\n$/)
  const key = issued.out.trim()
  expect(await statusWith(key)).toBe(200)

  const [id = ''] = /key_\w+/.exec(issued.err) ?? []
  const listed = (await runCommand('key', 'list')).out
  expect(listed).toMatch(new RegExp(`^${id}  demo +support +ci +${key.slice(0, 7)}…`, 'm'))
  expect(listed).not.toContain(key)

  expect(await runCommand('key', 'revoke', id)).toMatchObject({ code: 0 })
  await vi.waitFor(async () => expect(await statusWith(key)).toBe(401), { timeout: 20_000, interval: 50 })
  expect(await runCommand('key', 'revoke', 'key_nothing')).toMatchObject({ code: 1, err: expect.stringContaining('key list') })
})

test('token: works for the admin API when created', async () => {
  const { out } = await runCommand('token', 'create', '--name', 'ops')
  const headers = { authorization: `Bearer ${out.trim()}` }
  expect((await fetch(`${server.base}/admin/v1/applications`, { headers })).status).toBe(200)
})

test('operator invite: link works once when the operator is locked out, and an audit record names the invitation', async () => {
  const { email, password } = server.demo.dashboard
  const browser = () => new Browser(server.base)
  const signIn = async (word: string) => (await browser().signIn(email, word)).status
  for (let at = 0; at < 10; at++) await signIn('not it at all')
  expect(await signIn(password)).toBe(429)

  const { code, out } = await runCommand('operator', 'invite', email.toUpperCase())
  expect([code, out]).toEqual([0, expect.stringMatching(/^http:\/\/\S+\/dashboard\/welcome\?token=[\w-]{43}\n$/)])
  const token = new URL(out.trim()).searchParams.get('token')
  const accept = async () => (await browser().post('/auth/gatehouse/accept', { token, password: 'another horse battery' })).status
  expect([await accept(), await accept()]).toEqual([200, 404])
  expect(await signIn('another horse battery')).toBe(200)

  const headers = { authorization: `Bearer ${server.demo.admin_token}` }
  const log = (await (await fetch(`${server.base}/admin/v1/audit?limit=5`, { headers })).json()) as {
    data: { change: { action: string } | null }[]
  }
  expect(log.data.map(({ change }) => change?.action)).toContain('operator_invitation.issue')
  expect(await runCommand('operator', 'invite', 'absent@example.com')).toMatchObject({ code: 1, out: '' })
})

test('token user: works for the messaging API when issued, is listed by name, and gets 401 when revoked', async () => {
  const [{ id: user = '' } = {}] = server.demo.users
  const issued = await runCommand('token', 'user', 'create', '--user', user, '--name', 'laptop')
  expect(issued.out).toMatch(/^gu_[A-Za-z0-9_-]{43}\n$/)
  const headers = { authorization: `Bearer ${issued.out.trim()}` }
  const status = async (): Promise<number> => (await fetch(`${server.base}/v1/contacts`, { headers })).status
  expect(await status()).toBe(200)

  const [id = ''] = /tok_\w+/.exec(issued.err) ?? []
  expect((await runCommand('token', 'user', 'list', '--user', user)).out).toMatch(new RegExp(`^${id} +laptop `, 'm'))
  expect(await runCommand('token', 'user', 'revoke', id)).toMatchObject({ code: 0 })
  await vi.waitFor(async () => expect(await status()).toBe(401), { timeout: 20_000, interval: 50 })
  expect(await runCommand('token', 'user', 'revoke', 'tok_nothing')).toMatchObject({
    code: 1,
    err: expect.stringContaining('user list'),
  })
  expect(await runCommand('token', 'user', 'create', '--user', 'absent')).toMatchObject({ code: 1 })
})

test('apply: prints each change, and no changes when it is repeated', async () => {
  const first = await runCommand('apply', join(folder, 'gatehouse.yaml'))
  expect(first).toMatchObject({ code: 0, out: 'created workspace acme\ncreated application support\n' })
  const second = await runCommand('apply', join(folder, 'gatehouse.yaml'))
  expect(second.out).toBe('unchanged workspace acme\nunchanged application support\n')
  expect(second.err).toBe('no changes\n')
  const unclear = await runCommand('key', 'issue', '--application', 'support')
  expect(unclear).toMatchObject({
    code: 1,
    err: 'gatehouse: there are several Workspaces. Choose one with --workspace: demo, acme\n',
  })
})

test('serve: fails when another server uses the data folder', async () => {
  const { code, err } = await runCommand('serve')
  expect([code, err]).toEqual([1, expect.stringMatching(/another Gatehouse is running on .*: stop it, or set GATEHOUSE_DATA/)])
})
