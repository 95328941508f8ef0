import { execFile, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { blocksOf, type CodeBlock } from '../support/code-blocks.ts'
import { sharedServer } from '../support/shared-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** The page with the function that all others import. server/test/clients/typescript-client.test.ts runs the page of typed clients. */
const SETUP = 'docs/build/index.md'
const PAGES = globSync('docs/build/*.md', { cwd: ROOT })
  .sort()
  .filter((page) => page !== SETUP && page !== 'docs/build/typed-clients.md')

interface Language {
  readonly name: string
  readonly file: string
  readonly command: string
  readonly args: readonly string[]
  /** The statement that prints a text. */
  readonly print: (text: string) => string
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  js: { name: 'Node', file: 'gatehouse.mjs', command: process.execPath, args: [], print: (text) => `console.log('${text}')` },
  python: { name: 'Python', file: 'gatehouse.py', command: 'python3', args: ['-u'], print: (text) => `print('${text}')` },
  sh: { name: 'curl', file: 'functions.sh', command: 'bash', args: [], print: (text) => `echo '${text}'` },
}
const MARK = '@@block'

const blocks = (page: string, language: string): CodeBlock[] => blocksOf(page).filter((block) => block.language === language)

/** The function of the page *Set up*. Its first shell block sets the variables, which the test sets itself. */
const setupOf = (language: string): string => blocks(SETUP, language).at(-1)?.source ?? ''

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
  const isHere = spawnSync(command, ['--version']).status === 0

  test.skipIf(!isHere)(
    `docs/build: every example in ${name} prints the output of its comment`,
    { timeout: 300_000 },
    async () => {
      const server = await sharedServer()
      mkdirSync(join(folder, 'data'))
      writeFileSync(join(folder, 'data/demo.json'), JSON.stringify(server.demo))
      writeFileSync(join(folder, file), setupOf(language))
      const env = {
        ...process.env,
        no_proxy: '*',
        GATEHOUSE_URL: server.base,
        GATEHOUSE_KEY: server.demo.applications[0]?.api_key,
        GATEHOUSE_ADMIN: server.demo.admin_token,
      }
      for (const page of PAGES) {
        const sources = blocks(page, language).map(({ source }) => source)
        // A page's blocks are one program, as a reader collects them.
        const program = sources.flatMap((source, index) => [print(`${MARK}${index}`), source])
        const prefix = language === 'sh' ? ['exec 2>&1', `. ./${file}`] : []
        const path = join(folder, `${basename(page, '.md')}${language === 'js' ? '.mjs' : ''}`)
        writeFileSync(path, [...prefix, ...program].join('\n').replaceAll('4400', String(await freePort())))
        const { stdout, stderr } = await promisify(execFile)(command, [...args, path], { cwd: folder, env }).catch(
          (error) => error,
        )
        const outputs = `${stdout}`.split(new RegExp(`^${MARK}\\d+\\n`, 'm')).slice(1)
        for (const [index, source] of sources.entries())
          expectOutput(`${page}: ${source}\n${stderr}`, outputs[index] ?? '', source)
      }
    },
  )
})

function expectOutput(title: string, output: string, source: string): void {
  let rest = output
  for (const fragment of expectedOf(source)) {
    expect(rest, `expected “${fragment}” in this order in the output “${output}” of ${title}`).toContain(fragment)
    rest = rest.slice(rest.indexOf(fragment) + fragment.length)
  }
}
