import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERRORS } from '../../src/errors.ts'
import { blocksOf } from '../support/code-blocks.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { EXECUTED_PAGES } from './executed-pages.ts'

const ROOT = join(import.meta.dirname, '../../..')
const run = promisify(execFile)

const read = (page: string): string => readFileSync(join(ROOT, 'docs', `${page}.md`), 'utf8')
const sourcesOf = (page: string, language: string): string[] =>
  blocksOf(`docs/${page}.md`).flatMap((block) => (block.language === language ? [block.source] : []))
const blocks = EXECUTED_PAGES.flatMap((page) => sourcesOf(page, 'sh').map((source) => ({ page, source })))

/** The expected output of each block: the comment lines at its end. `…` stands for any text. */
const expectedOutputs = blocks.map(({ source }) =>
  [...source.matchAll(/^# (?:(\d{3}) ?)?(.*)$/gm)].map(([, status, text = '']) => ({ status, text })),
)

const BLOCK_MARK = '@@block'
const STATUS_MARK = '@@status'

/** Prints the status after each response, so that it can be compared. */
const CURL = `curl() { command curl -w ' ${STATUS_MARK}%{http_code} ' "$@"; }`

describe('documents', () => {
  let server: TestServer
  const folder = temporaryFolder()
  let outputs: string[]

  beforeAll(async () => {
    server = await startServer()
    await server.announce()
    for (const name of ['data', 'bin']) mkdirSync(join(folder, name))
    symlinkSync(join(ROOT, 'scripts/gatehouse'), join(folder, 'bin/gatehouse'))
    for (const name of ['scripts', 'examples', 'node_modules']) symlinkSync(join(ROOT, name), join(folder, name))
    symlinkSync(join(server.config.dataDir, 'demo.json'), join(folder, 'data', 'demo.json'))
    outputs = []
    for (const page of EXECUTED_PAGES) outputs.push(...(await runBlocks(page, server, folder)))
  }, 300_000)

  afterAll(() => server.close())

  test('examples: at least ten blocks exist, and most have an expected output', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(10)
    expect(expectedOutputs.flat().length).toBeGreaterThanOrEqual(8)
  })

  test.each(blocks.map(({ page, source }, index) => [index, `${page}: ${source.split('\n')[0]}`] as const))(
    'example %i: prints the output of its comment (%s)',
    (index) => {
      const output = outputs[index] ?? ''
      expect(output).not.toMatch(/command not found|Connection refused|@@status5\d\d|"code":"(VALIDATION_ERROR|NOT_FOUND|AUTH_)/)
      let rest = output
      for (const { status, text } of expectedOutputs[index] ?? []) {
        if (status !== undefined) expect(rest).toContain(`${STATUS_MARK}${status} `)
        for (const fragment of fragmentsOf(text)) {
          expect(rest, `expected “${fragment}” in this order in: ${output}`).toContain(fragment)
          rest = rest.slice(rest.indexOf(fragment) + fragment.length)
        }
      }
    },
  )

  test.each(sourcesOf('guides/clients', 'ts').map((source, index) => [index, source] as const))(
    'docs/guides/clients.md: program %i gets a completion',
    async (index, source) => {
      const file = join(folder, `client-${index}.ts`)
      writeFileSync(file, source.replaceAll('http://127.0.0.1:8787', server.base))
      const env = { ...process.env, GATEHOUSE_KEY: server.demo.applications[0]?.api_key }
      const { stdout } = await run(process.execPath, [file], { cwd: folder, env })
      expect(stdout.length).toBeGreaterThan(10)
    },
  )

  test('docs/troubleshooting.md: has an entry with cause and fix for each error code, and no other', () => {
    const codes = [...read('troubleshooting').matchAll(/^### ([A-Z_]+)$/gm)].map(([, code]) => code)
    expect(codes.toSorted()).toEqual(Object.keys(ERRORS).toSorted())
    for (const code of codes) {
      const [, entry = ''] = read('troubleshooting').split(`### ${code}\n`)
      const [text = ''] = entry.split('\n##')
      expect(text, code).toMatch(/^\n\d+\. \*\*Cause\.\*\* .{10,}\*\*Fix\.\*\* .{10,}/s)
      expect(text, code).toContain(`\n${ERRORS[code as keyof typeof ERRORS].status}. `)
    }
  })

  test('examples/openai-client.ts: chat, stream, refusal and release work when the demo runs', async () => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'examples/openai-client.ts')], { cwd: folder })
    expect(stdout).toMatch(
      /^chat {5}\S[\s\S]*^stream {3}\S[\s\S]*^refused {2}POLICY_DENIED[\s\S]*^held {5}rev_[\s\S]*^released \S/m,
    )
  })
})

/** All blocks in one shell, as a reader pastes them one after another. */
async function runBlocks(page: string, server: TestServer, cwd: string): Promise<string[]> {
  const script = [CURL, ...sourcesOf(page, 'sh').map((source, index) => `echo; echo '${BLOCK_MARK}${index}'\n${source}`)].join(
    '\n',
  )
  const localScript = script.replaceAll('http://127.0.0.1:8787', server.base)
  const env = { ...process.env, PATH: `${join(cwd, 'bin')}:${process.env.PATH}`, GATEHOUSE_DATA: server.config.dataDir }
  const { stdout, stderr } = await run('bash', ['-c', `exec 2>&1\n${localScript}`], { cwd, env, maxBuffer: 64e6 })
  return (stdout + stderr).split(new RegExp(`^${BLOCK_MARK}\\d+\\n`, 'm')).slice(1)
}

const fragmentsOf = (text: string): string[] =>
  text
    .split('…')
    .map((fragment) => fragment.replaceAll(/^[ “”]+|[ “”]+$/g, ''))
    .filter((fragment) => fragment !== '')
