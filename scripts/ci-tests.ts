// Runs the tests of `npm test` and `npm run test:full` in one run of vitest, repeats each failed test file once, alone, and prints one line for all:
// `812 passed, 0 failed, 3 skipped`. Tests that pass only in the repetition are listed as unstable. Arguments replace the command.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FileSummary, lineOf, type RunSummary, totalOf } from '../server/test/support/summary-reporter.ts'

/** In two runs, a worker would wait at the end of the first one, and each would create the databases that tests copy. */
const ALL = ['scripts/run', 'vitest', 'run', '--project', 'units', '--project', 'server', '--project', '*-full']
/** If more files fail, the machine or the change is broken, and repetitions would take hours. */
const MAX_REPEATED = 20

/** A run that crashes, or fails without a failed test, has an error. */
function run([program = '', ...args]: readonly string[]): RunSummary {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-summary-'))
  const file = join(folder, 'summary.json')
  try {
    const { status } = spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, TEST_SUMMARY_FILE: file } })
    const summary: RunSummary = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { files: [], errors: 0 }
    const isExplained = status === 0 || (status === 1 && totalOf(summary).failed > 0)
    return isExplained ? summary : { ...summary, errors: summary.errors + 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const unstable: string[] = []

/** Returns the result of the repetition, or the first one if the repetition crashed. */
function repeat(first: FileSummary): FileSummary {
  console.log(`== again, alone: ${first.file} (${first.project})`)
  const { files: found, errors } = run(['scripts/run', 'vitest', 'run', '--project', first.project, first.file])
  const second = found.find(({ file, project }) => file === first.file && project === first.project)
  if (!second || errors > 0) return first
  for (const name of first.failures)
    if (!second.failures.includes(name)) unstable.push(`${first.file} (${first.project}): ${name}`)
  return second
}

const command = process.argv.length > 2 ? process.argv.slice(2) : ALL
if (command === ALL) process.env.TEST_ALL_PROJECTS = '1'
console.log(`== tests: ${command.join(' ')}`)
const all = run(command)
const isRepeated = all.files.filter(({ failed }) => failed > 0).length <= MAX_REPEATED
if (!isRepeated) console.log(`== more than ${MAX_REPEATED} files failed: none is repeated`)
const files = all.files.map((file) => (file.failed > 0 && isRepeated ? repeat(file) : file))
const total = totalOf({ files, errors: all.errors })
if (unstable.length > 0) console.log(`== unstable: failed once and passed alone\n${unstable.join('\n')}`)
console.log(lineOf(total))
process.exitCode = total.failed > 0 ? 1 : 0
