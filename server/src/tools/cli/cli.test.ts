import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { runCommandLine as run } from '../../../test/support/command-line.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../../../..')

/** Contains a data folder and a gatehouse.yaml. */
const folder = temporaryFolder()
cpSync(inject('templateDataDir'), join(folder, 'data'), { recursive: true })
writeFileSync(join(folder, 'gatehouse.yaml'), 'workspaces: [{ name: acme, applications: [{ name: support }] }]\n')

const gatehouse = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run(args, { GATEHOUSE_DATA: join(folder, 'data'), GATEHOUSE_CONFIG: join(folder, 'gatehouse.yaml'), PORT: '0', ...env })

const STACK = /^\s+at /m

test.each([
  ['an unknown command', ['frobnicate'], {}, /unknown command 'frobnicate'/],
  ['an unknown option', ['apply', '--force'], {}, /unknown option '--force'/],
  ['a missing option', ['key', 'issue'], {}, /required option '--application <name>' not specified/],
  ['an invalid variable', ['serve'], { PORT: 'many' }, /^gatehouse: PORT must be a whole number/],
  ['no secret key', ['migrate'], { DATABASE_URL: 'postgres://x/y' }, /^gatehouse: GATEHOUSE_SECRET_KEY is required/],
  ['no such file', ['apply', 'nowhere.yaml'], {}, /^gatehouse: .*nowhere\.yaml cannot be read \(ENOENT\)/],
])('arguments and configuration: exit code is 2 when there is %s', async (_, args, env, expected) => {
  const { code, out, err } = await gatehouse(args, env as Record<string, string>)
  expect(err).toMatch(expected)
  expect(err).not.toMatch(STACK)
  expect([code, out]).toEqual([2, ''])
})

test('database: exit code is 1 and the error names DATABASE_URL when no database listens', async () => {
  const env = { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/x', GATEHOUSE_SECRET_KEY: 'x'.repeat(32) }
  const { code, err } = await gatehouse(['migrate'], env)
  expect(err).toMatch(/no database server listens at this address: check DATABASE_URL/)
  expect(err).not.toMatch(STACK)
  expect(code).toBe(1)
})

test('apply: works when no server is running', async () => {
  const first = await gatehouse(['apply'])
  expect(first).toMatchObject({ code: 0, out: 'created workspace acme\ncreated application support\n' })
})

test('workspace create: makes an empty server usable, and a Workspace without a name or with a taken one is refused', async () => {
  const data = join(folder, 'empty')
  cpSync(inject('templateDataDir'), data, { recursive: true })
  const empty = (...args: string[]) => gatehouse(args, { GATEHOUSE_DATA: data })
  expect(await empty('application', 'create', 'portal')).toMatchObject({
    code: 1,
    err: 'gatehouse: there is no Workspace yet: create one with `gatehouse workspace create NAME`\n',
  })
  expect(await empty('workspace', 'create', 'acme')).toMatchObject({ code: 0, out: expect.stringMatching(/^ws_\w{26}\n$/) })
  expect(await empty('application', 'create', 'portal')).toMatchObject({ code: 0 })
  expect((await empty('audit', 'export')).out).toContain('"workspace.create"')
  expect(await empty('workspace', 'create', 'acme')).toMatchObject({
    code: 1,
    out: '',
    err: 'gatehouse: there is a Workspace acme already: choose another name\n',
  })
  expect(await empty('workspace', 'create', '')).toMatchObject({ code: 1, out: '' })
})

test('operator first-login: prints the address of the server that wrote the link to the data folder', async () => {
  const data = join(folder, 'started')
  cpSync(inject('templateDataDir'), data, { recursive: true })
  const firstLogin = async (env: Readonly<Record<string, string>> = {}) => {
    const { out } = await run(['operator', 'first-login'], { GATEHOUSE_DATA: data, ...env })
    return out.trim()
  }
  const own = await firstLogin()
  expect(own).toMatch(/^http:\/\/127\.0\.0\.1:8787\/dashboard\/welcome\?token=/)
  // As a server on this port does at its start.
  const written = own.replace(':8787', ':9123')
  writeFileSync(join(data, 'first-login.txt'), `${written}\n`)
  expect(await firstLogin()).toBe(written)
  expect(await firstLogin({ PORT: '9200' })).toBe(own.replace(':8787', ':9200'))
  const publicUrl = { GATEHOUSE_PUBLIC_URL: 'https://gatehouse.example.com' }
  expect(await firstLogin(publicUrl)).toContain('https://gatehouse.example.com/dashboard/welcome')
})

const demo = join(ROOT, 'examples/policies/demo.yaml')

test('policy check and test: pass for the policy set of the demo', async () => {
  expect(await gatehouse(['policy', 'check', demo])).toMatchObject({ code: 0 })
  const { code, out } = await gatehouse(['policy', 'test', demo])
  expect(out).toMatch(/demo\.yaml: \d+ passed, 0 failed\n$/)
  expect(code).toBe(0)
})

test('policy test: prints expected and actual value and exits with 1 when a case fails', async () => {
  const file = join(folder, 'policy.yaml')
  const rule = '{ id: mail, description: d, at: [input], when: "content.findings.pii > 0", verdict: deny }'
  writeFileSync(file, `name: p\ntests: [cases.yaml]\nrules:\n  - ${rule}\n`)
  const expectAllow =
    '{ name: mail passes, at: input, input: { content: { text: Write to jane@example.org } }, expect: { verdict: allow } }'
  writeFileSync(join(folder, 'cases.yaml'), `tests:\n  - ${expectAllow}\n`)
  const { code, out } = await gatehouse(['policy', 'test', file])
  expect(out).toContain('FAIL  mail passes (cases.yaml:2)\n      verdict: expected allow, got deny\n')
  expect(code).toBe(1)
})

test('policy check: prints the line and exits with 1 when a document cannot be published', async () => {
  const file = join(folder, 'broken.yaml')
  writeFileSync(file, 'name: p\nrules:\n  - { id: a, description: d, at: [input], when: "nope(", verdict: deny }\n')
  const { code, out } = await gatehouse(['policy', 'check', file])
  expect(out).toMatch(/broken\.yaml:3:\d+: rules\[0\]\.when /)
  expect(code).toBe(1)
})
