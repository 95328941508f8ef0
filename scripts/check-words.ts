// Fails on the words of banned-words.txt. Folders as arguments narrow the search or name others.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { findBannedWords, readBannedWords } from './banned-words.ts'

const ROOT = join(import.meta.dirname, '..')
const FOLDERS = ['server/src', 'server/test', 'dashboard/src', 'dashboard/e2e', 'dashboard/scripts', 'docs']
const EXTENSIONS = /\.(ts|tsx|mjs|cjs|md|yaml|html)$/
/** Generated from checked sources, texts for detectors, or tests of the words themselves. */
const EXCEPT = [
  'dashboard/src/api/schema.d.ts',
  'docs/api/openapi.json',
  'docs/contract/coverage.md',
  'server/test/documentation/banned-words.test.ts',
  'server/test/support/classification/harmless-texts.ts',
]
/** Banned words that a file needs as data: the closing of a letter is "Best wishes". */
const DATA_WORDS: Readonly<Record<string, readonly string[]>> = {
  'server/src/domains/classification/detectors/person.ts': ['wishes'],
}

const filesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && EXTENSIONS.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => !EXCEPT.includes(path) && !path.includes('node_modules'))
    .sort()

const linesOf = (file: string): string[] =>
  readFileSync(join(import.meta.dirname, file), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

const { positionals } = parseArgs({ allowPositionals: true })
const words = readBannedWords(linesOf('banned-words.txt'))
let failures = 0
for (const path of (positionals.length > 0 ? positionals : FOLDERS).flatMap(filesBelow)) {
  const wordsOfFile = words.filter(({ word }) => !DATA_WORDS[path]?.includes(word))
  const found = findBannedWords(path, readFileSync(join(ROOT, path), 'utf8'), wordsOfFile)
  for (const { line, word, instead } of found) console.error(`${path}:${line}: “${word}”. Write: ${instead}`)
  failures += found.length
}
if (failures > 0) {
  console.error(`\n${failures} banned words (scripts/banned-words.txt). See “Language” in CONTRIBUTING.md.`)
  process.exitCode = 1
}
