import { execFile, spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { blocksOf, type CodeBlock } from '../support/code-blocks.ts'
import { sharedServer } from '../support/shared-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** The page with the function that all others import. */
const SETUP = 'docs/build/index.md'
const TYPED_CLIENTS = 'docs/build/typed-clients.md'
const ALL_PAGES = globSync('docs/build/*.md', { cwd: ROOT }).sort()
const PAGES = ALL_PAGES.filter((page) => page !== SETUP && page !== TYPED_CLIENTS)
/** Why a block is not executed, by its first line. */
const REASONS: Readonly<Record<string, string>> = {
  'pip install openapi-python-client':
    'the generator is on PyPI only, which CI does not reach; openapi.test.ts checks the document that it reads',
}
/** The sources of the blocks that a test has executed. */
const executed = new Set<string>()

interface Language {
  readonly name: string
  readonly file: string
  readonly command: string
  readonly args: readonly string[]
  /** The statement that prints a text. */
  readonly print: (text: string) => string
}

/** A Python that has PyJWT, which signs a user token in an example. Debian installs it for its own Python only. */
const PYTHON = ['python3', '/usr/bin/python3'].find(
  (command) => spawnSync(command, ['-c', 'import jwt, cryptography']).status === 0,
)
if (PYTHON === undefined) console.warn('There is no Python with PyJWT here: the examples in Python are left out.')

const LANGUAGES: Readonly<Record<string, Language>> = {
  js: { name: 'Node', file: 'gatehouse.mjs', command: process.execPath, args: [], print: (text) => `console.log('${text}')` },
  python: { name: 'Python', file: 'gatehouse.py', command: PYTHON ?? '', args: ['-u'], print: (text) => `print('${text}')` },
  sh: { name: 'curl', file: 'functions.sh', command: 'bash', args: [], print: (text) => `echo '${text}'` },
}
const MARK = '@@block'

const blocks = (page: string, language: string): CodeBlock[] => blocksOf(page).filter((block) => block.language === language)

/** Returns the sources of blocks that the caller executes. */
const toExecute = (list: readonly CodeBlock[]): string[] =>
  list.map(({ source }) => {
    executed.add(source)
    return source
  })

/** Runs a program, and returns what it prints, also if it fails. */
async function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  const { stdout, stderr } = await promisify(execFile)(command, [...args], { cwd, env, maxBuffer: 64e6 }).catch((error) => error)
  return { stdout: `${stdout}`, stderr: `${stderr}` }
}

/** Runs the first shell block of the page *Set up* beside the data of the demo, and returns the variables that it exports. */
async function setUp(folder: string): Promise<NodeJS.ProcessEnv> {
  const server = await sharedServer()
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data/demo.json'), JSON.stringify(server.demo))
  const [source = ''] = toExecute(blocks(SETUP, 'sh').slice(0, 1))
  const script = `${source.replaceAll('http://127.0.0.1:8787', server.base)}\nnode -p 'JSON.stringify(process.env)'`
  const { stdout } = await run('bash', ['-c', script], folder, { ...process.env, no_proxy: '*' })
  return JSON.parse(stdout)
}

/** The comment lines at the end of a block are its output; `…` stands for any text. */
const expectedOf = (source: string): string[] =>
  (/(?:^(?:\/\/|#) .*\n)+$/m.exec(source)?.[0] ?? '')
    .replaceAll(/^(?:\/\/|#) /gm, '')
    .split(/[…\n]/)
    .map((text) => text.trim())
    .filter((text) => text !== '')

/** A port on which no program listens. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('docs/build: each page has the same examples in Node, Python and with curl, and describes response and errors', () => {
  expect(PAGES.length).toBeGreaterThanOrEqual(11)
  const counts = PAGES.map((page) => [page, ...Object.keys(LANGUAGES).map((language) => blocks(page, language).length)])
  expect(
    counts.filter(([, node = 0, python = 0, shell = 0]) => Number(node) < 2 || Number(python) < 1 || Number(shell) < 1),
  ).toEqual([['docs/build/streaming.md', 1, 1, 1]])
  for (const page of PAGES) expect(readFileSync(join(ROOT, page), 'utf8'), page).toMatch(/^## Response$[\s\S]*^## Errors$/m)
  const others = PAGES.flatMap(blocksOf).filter(({ language }) => !(language in LANGUAGES))
  expect(others).toEqual([])
  expect(PAGES.flatMap(blocksOf).filter(({ source }) => expectedOf(source).length === 0)).toEqual([])
})

describe.each(Object.entries(LANGUAGES))('docs/build, %s', (language, { name, file, command, args, print }) => {
  const folder = temporaryFolder()

  test.skipIf(command === '')(
    `docs/build: every example in ${name} prints the output of its comment`,
    { timeout: 300_000 },
    async () => {
      const env = await setUp(folder)
      const [setup = ''] = toExecute(blocks(SETUP, language).slice(-1))
      writeFileSync(join(folder, file), setup)
      for (const page of PAGES) {
        const sources = toExecute(blocks(page, language))
        // A page's blocks are one program, as a reader collects them.
        const program = sources.flatMap((source, index) => [print(`${MARK}${index}`), source])
        const prefix = language === 'sh' ? ['exec 2>&1', `. ./${file}`] : []
        const path = join(folder, `${basename(page, '.md')}${language === 'js' ? '.mjs' : ''}`)
        writeFileSync(path, [...prefix, ...program].join('\n').replaceAll('4400', String(await freePort())))
        const { stdout, stderr } = await run(command, [...args, path], folder, env)
        const outputs = stdout.split(new RegExp(`^${MARK}\\d+\\n`, 'm')).slice(1)
        for (const [index, source] of sources.entries())
          expectOutput(`${page}: ${source}\n${stderr}`, outputs[index] ?? '', source)
      }
    },
  )
})

test(`${TYPED_CLIENTS}: the packed client can be installed, and the programs print the output of their comments`, async () => {
  const folder = temporaryFolder()
  const env = await setUp(folder)
  const app = join(folder, 'my-app')
  symlinkSync(ROOT, join(folder, 'gatehouse'))
  // npm finds the client's dependencies in the folder, so that it needs no network.
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    cpSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name), { recursive: true })
  const [install = ''] = toExecute(blocks(TYPED_CLIENTS, 'bash').filter(({ source }) => source.startsWith('npm')))
  const { stdout: installed, stderr } = await run('bash', ['-ec', `cd gatehouse\n${install}`], folder, {
    ...env,
    npm_config_offline: 'true',
  })
  expect(installed, stderr).toContain('added 1 package')
  const sources = toExecute(blocks(TYPED_CLIENTS, 'ts'))
  writeFileSync(join(app, 'program.ts'), sources.join('\n'))
  const printed = await run(process.execPath, ['program.ts'], app, env)
  expectOutput(`${TYPED_CLIENTS}\n${printed.stderr}`, printed.stdout, ...sources)
}, 120_000)

test('docs/build: every code block was executed by a test of this file, or has a reason', () => {
  const left = ALL_PAGES.flatMap(blocksOf).filter(({ source }) => !executed.has(source))
  const unexplained = left.filter(({ language }) => language !== 'python' || PYTHON !== undefined)
  expect(unexplained.map(({ source }) => source.split('\n')[0])).toEqual(Object.keys(REASONS))
  for (const page of ALL_PAGES)
    expect(readFileSync(join(ROOT, page), 'utf8').match(/^\s*```\S/gm)?.length, page).toBe(blocksOf(page).length)
})

function expectOutput(title: string, output: string, ...sources: readonly string[]): void {
  let rest = output
  for (const fragment of sources.flatMap(expectedOf)) {
    expect(rest, `expected “${fragment}” in this order in the output “${output}” of ${title}`).toContain(fragment)
    rest = rest.slice(rest.indexOf(fragment) + fragment.length)
  }
}
