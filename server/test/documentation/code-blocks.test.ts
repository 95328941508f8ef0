import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { EVENT_TYPES } from '../../src/domains/messaging/events/event.ts'
import { parsePolicySet } from '../../src/domains/policy/parse.ts'
import { testPolicyFile } from '../../src/domains/policy/policy-test-file.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { KNOWN_VARIABLES } from '../../src/platform/config/known-variables.ts'
import { runCli } from '../../src/tools/cli/cli.ts'
import { type CodeBlock, copiedBlocks } from '../support/code-blocks.ts'
import { TEST_TOOLS } from '../support/policy-tools.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { EXECUTED_PAGES } from './executed-pages.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** Why a `bash` block is checked but not executed. Each block that is marked `bash` needs a reason here. */
const REASONS: Readonly<Record<string, string>> = {
  'docs/start/quick-start.md': 'starts another server; server/test/setup/start.test.ts and server/src/tools/demo do so',
  'docs/guides/providers.md': 'needs keys of providers; server/test/gateway/routes-to-providers.test.ts has scripted ones',
  'docs/guides/clients.md': 'Claude Code is another program; server/test/clients/claude-code.test.ts replays its requests',
  'docs/guides/backup.md': 'needs a second database; server/test/backup/export-import.test.ts has one',
  'docs/guides/siem.md':
    'needs receivers; server/src/domains/audit/follow and server/test/faults/audit-follow-kill.test.ts have them',
  'docs/guides/investigate.md': 'the browser downloads the proof; dashboard/e2e/audit.test.ts does so and verifies it',
  'docs/guides/deploy.md': 'needs Docker, systemd or a cluster; server/test/deploy checks the files',
}
/** Variables of other programs. */
const FOREIGN =
  /^(ANTHROPIC|OPENAI|OLLAMA)_|^(DATABASE_URL|KEY|ADMIN|CONV|MSG|ADA|ITEM|AUDIT|PATH|GATEHOUSE_(KEY|IMAGE|ADMIN|URL))$/

/** For the blocks that change some variables of the block before them. */
const OIDC_CLIENT = {
  GATEHOUSE_OIDC_ISSUER: 'https://login.example.com',
  GATEHOUSE_OIDC_CLIENT_ID: 'gatehouse',
  GATEHOUSE_OIDC_CLIENT_SECRET: 'secret',
}

const blocks = copiedBlocks()
const ofLanguage = (language: string) => blocks.filter((block) => block.language === language)
const named = (list: readonly CodeBlock[]) =>
  list.map((block) => [`${block.file}: ${block.source.split('\n')[0]}`, block] as const)

/** Each language has a check; a block in another one fails. */
const CHECKED = ['sh', 'bash', 'ts', 'python', 'yaml', 'toml', 'ini', 'json', 'nginx', 'text', 'mermaid']

test('documents: every code block is in a language that a test runs or checks', () => {
  expect(blocks.length).toBeGreaterThan(60)
  expect(blocks.filter(({ language }) => !CHECKED.includes(language)).map(({ file, source }) => [file, source])).toEqual([])
})

test('documents: every `sh` block is executed, and every page with a `bash` block has a reason', () => {
  const executed = new Set(['README.md', ...EXECUTED_PAGES.map((page) => `docs/${page}.md`)])
  expect(ofLanguage('sh').filter(({ file }) => !executed.has(file))).toEqual([])
  expect([...new Set(ofLanguage('bash').map(({ file }) => file))].toSorted()).toEqual(Object.keys(REASONS).toSorted())
})

test('README.md: its command is a script of the repository', () => {
  const [block] = ofLanguage('sh').filter(({ file }) => file === 'README.md')
  expect(block?.source).toBe('npm start\n')
  expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts).toHaveProperty('start')
})

describe.each(named([...ofLanguage('bash'), ...ofLanguage('sh')]))('%s', (_name, { source }) => {
  test('is valid shell, and its files, variables and commands exist', async () => {
    expect(spawnSync('bash', ['-n'], { input: source, encoding: 'utf8' }).stderr).toBe('')
    const paths = source.match(/(?<![\w/])(deploy|scripts|examples)\/[\w./-]+\w/g) ?? []
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    const variables = [...source.matchAll(/\b([A-Z][A-Z_]{3,})=/g)].map(([, name = '']) => name.replace(/_FILE$/, ''))
    const known = (name: string) =>
      KNOWN_VARIABLES.includes(name) || KNOWN_VARIABLES.includes(`${name}_FILE`) || FOREIGN.test(name)
    expect(variables.filter((name) => !known(name))).toEqual([])
    for (const line of commandsOf(source)) await expectCommand(line)
  })
})

describe.each(named(ofLanguage('python')))('%s', (_name, { source }) => {
  test.skipIf(spawnSync('python3', ['--version']).status !== 0)(
    'is valid Python and uses the base URL of the quick start',
    () => {
      const program = 'import ast, sys; ast.parse(sys.stdin.read())'
      expect(spawnSync('python3', ['-c', program], { input: source, encoding: 'utf8' }).stderr).toBe('')
      expect(source).toContain('base_url="http://127.0.0.1:8787/v1"')
    },
  )
})

describe.each(named(ofLanguage('ini')))('%s', (_name, { source }) => {
  test('is a configuration that the server accepts, except for its addresses', () => {
    const lines = source.split('\n').filter((line) => line !== '')
    const env = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
    expect(Object.keys(env).filter((name) => !KNOWN_VARIABLES.includes(name))).toEqual([])
    expect(() => readConfig({ ...OIDC_CLIENT, ...env })).not.toThrow()
  })
})

test.each(named(ofLanguage('json')))('%s: is an event that webhooks receive', (_name, { source }) => {
  expect(EVENT_TYPES).toContain(JSON.parse(source).type)
})

test.each(named(ofLanguage('toml')))('%s: names the base URL and the API that Codex speaks', (_name, { source }) => {
  for (const line of ['model_provider = "gatehouse"', 'base_url = "http://127.0.0.1:8787/v1"', 'wire_api = "responses"'])
    expect(source).toContain(`${line}\n`)
})

test.each(named([...ofLanguage('nginx'), ...ofLanguage('text')]))(
  '%s: leads to the server and does not buffer',
  (_name, { source }) => {
    expect(source).toContain('127.0.0.1:8787')
    expect(source).toMatch(/proxy_buffering off;|flush_interval -1/)
    expect(source.match(/\{/g)?.length).toBe(source.match(/\}/g)?.length)
  },
)

describe('yaml', () => {
  const folder = temporaryFolder()

  test.each(named(ofLanguage('yaml').filter(({ source }) => /^( {2}- id:|rules:|texts:|name:)/.test(source))))(
    '%s: is a policy set that can be published',
    (_name, { source }) => {
      const withRules = source.startsWith('  - id:') ? `rules:\n${source}` : source
      const document = withRules.startsWith('name:') ? withRules : `name: example\n${withRules}`
      const parsed = parsePolicySet(document)
      expect(parsed.ok ? [] : parsed.errors).toEqual([])
    },
  )

  test('docs/policies.md: the tests of the first policy set pass', async () => {
    const [set, tests] = ['name: acme', '# tests/acme.yaml'].map((start) =>
      ofLanguage('yaml').find(({ file, source }) => file === 'docs/policies.md' && source.startsWith(start)),
    )
    mkdirSync(join(folder, 'tests'))
    writeFileSync(join(folder, 'acme.yaml'), set?.source ?? '')
    writeFileSync(join(folder, 'tests/acme.yaml'), tests?.source ?? '')
    const { ok, lines } = await testPolicyFile(join(folder, 'acme.yaml'), TEST_TOOLS)
    expect(ok, lines.join('\n')).toBe(true)
  })

  test('docs/guides/monitor.md: the configuration of Prometheus names the file of the alerts', () => {
    const [block] = ofLanguage('yaml').filter(({ file }) => file === 'docs/guides/monitor.md')
    expect(parseYaml(block?.source ?? '')).toMatchObject({ scrape_configs: [{ job_name: 'gatehouse' }] })
    expect(existsSync(join(ROOT, 'deploy/prometheus', parseYaml(block?.source ?? '').rule_files[0]))).toBe(true)
  })

  test('every block has a check', () => {
    const policies = ['docs/policies.md', 'docs/policy-cookbook.md']
    // The providers' block: server/src/tools/setup/documentation.test.ts.
    const others = ['docs/guides/monitor.md', 'docs/guides/providers.md']
    expect(ofLanguage('yaml').filter(({ file }) => ![...policies, ...others].includes(file))).toEqual([])
  })
})

test('docs/guides/deploy.md: the keys of the Secret are those that the manifest reads', () => {
  const manifest = readFileSync(join(ROOT, 'deploy/kubernetes/base/deployment.yaml'), 'utf8')
  const read = new Set([...manifest.matchAll(/value: \/run\/secrets\/gatehouse\/(\w+)/g)].map(([, name]) => name))
  const [block] = ofLanguage('bash').filter(({ source }) => source.includes('create secret generic'))
  expect(new Set([...(block?.source ?? '').matchAll(/--from-file=(\w+)/g)].map(([, name]) => name))).toEqual(read)
})

/** `gatehouse audit follow --once` in a line, without what stands before it. */
const commandsOf = (source: string): string[] =>
  source.split('\n').flatMap((line) => {
    const [, command] = /(?:^|\s|\/bin\/|scripts\/)gatehouse ([a-z][^|;#>)]*)/.exec(line) ?? []
    return command === undefined || /kubectl|docker|systemctl/.test(line) ? [] : [command.trim()]
  })

/** The help of the command has the options of the line. */
async function expectCommand(line: string): Promise<void> {
  const words = line.split(/\s+/)
  const path = words.slice(0, words.findIndex((word) => !/^[a-z-]+$/.test(word) || word.startsWith('-')) >>> 0)
  const names = path.slice(0, 2)
  const help: string[] = []
  const status = await runCli([...names, '--help'], { env: {}, out: (text) => help.push(text), note: (text) => help.push(text) })
  expect([line, status]).toEqual([line, 0])
  for (const option of line.match(/--[a-z-]+/g) ?? []) expect(help.join('\n'), `${line}: ${option}`).toContain(option)
}
