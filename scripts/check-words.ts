// Fails on the words of banned-words.txt. `--count` prints the findings per folder, unchecked ones included; folders as arguments
// narrow it or name others (`--count server/test`). Folders in unchecked-folders.txt are not cleaned yet and do not fail.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { findBannedWords, readBannedWords } from './banned-words.ts'

const ROOT = join(import.meta.dirname, '..')
const FOLDERS = ['server/src', 'server/test', 'dashboard/src', 'dashboard/e2e', 'dashboard/scripts', 'docs']
const EXTENSIONS = /\.(ts|tsx|mjs|cjs|md|yaml|html)$/
/** Generated from checked sources, texts for detectors, or files about the words themselves. */
const EXCEPT = [
  'dashboard/src/api/schema.d.ts',
  'docs/glossary.md',
  'docs/api/openapi.json',
  'docs/contract/coverage.md',
  'server/test/documentation/banned-words.test.ts',
  'server/test/support/classification/harmless-texts.ts',
]
/** Banned words that a file needs as data: the closing of a letter is "Best wishes". */
const DATA_WORDS: Readonly<Record<string, readonly string[]>> = { 'server/src/classification/detectors/person.ts': ['wishes'] }

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

function printCounts(counts: ReadonlyMap<string, number>, isUnchecked: (path: string) => boolean) {
  for (const [folder, count] of [...counts].sort(([a], [b]) => a.localeCompare(b)))
    console.log(`${String(count).padStart(6)}  ${folder}${isUnchecked(`${folder}/`) ? '  (not checked yet)' : ''}`)
  console.log(`${String([...counts.values()].reduce((sum, count) => sum + count, 0)).padStart(6)}  all`)
}

/** Entries of unchecked-folders.txt without findings. */
const cleanEntries = (entries: readonly string[], paths: readonly string[]): readonly string[] =>
  entries.filter((entry) => !paths.some((path) => path.startsWith(entry)))

const { values, positionals } = parseArgs({ options: { count: { type: 'boolean' } }, allowPositionals: true })
const words = readBannedWords(linesOf('banned-words.txt'))
const unchecked = linesOf('unchecked-folders.txt')
const isUnchecked = (path: string) => unchecked.some((folder) => path.startsWith(folder))

const counts = new Map<string, number>()
const pathsWithFindings: string[] = []
let failures = 0
for (const path of (positionals.length > 0 ? positionals : FOLDERS).flatMap(filesBelow)) {
  const wordsOfFile = words.filter(({ word }) => !DATA_WORDS[path]?.includes(word))
  const found = findBannedWords(path, readFileSync(join(ROOT, path), 'utf8'), wordsOfFile)
  const folder = dirname(path)
    .split('/')
    .slice(0, path.startsWith('dashboard/src/features') ? 4 : 3)
    .join('/')
  counts.set(folder, (counts.get(folder) ?? 0) + found.length)
  if (found.length > 0) pathsWithFindings.push(path)
  if (values.count || (isUnchecked(path) && positionals.length === 0)) continue
  for (const { line, word, instead } of found) console.error(`${path}:${line}: “${word}”. Write: ${instead}`)
  failures += found.length
}
if (values.count) {
  printCounts(counts, isUnchecked)
  const clean = positionals.length > 0 ? [] : cleanEntries(unchecked, pathsWithFindings)
  if (clean.length > 0) console.log(`\nClean, remove from unchecked-folders.txt: ${clean.join(', ')}`)
}
if (failures > 0) {
  console.error(`\n${failures} banned words (scripts/banned-words.txt). See “Language” in CONTRIBUTING.md.`)
  process.exitCode = 1
}
