import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { type DatabaseLocation, fingerprint, type IngestRun, prepareWorkspace, runIngest } from './support/ingest-run.ts'
import { writeMarkdownFiles } from './support/markdown-files.ts'
import { exitOnSignals } from './support/own-process.ts'
import { scoped } from './support/scoped.ts'
import { createScratchDatabase } from './support/scratch-database.ts'
import { writeBetweenMarks } from './support/table.ts'

/**
 * Measures rate and memory of `gatehouse ingest` for a folder of Markdown files. Also kills it with SIGKILL at a random moment, runs it
 * again and compares the database with that of an uninterrupted run. Exits with 1 if they differ. See README.md.
 */
const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    /** Number of files for the embedded database, which is slower. Default: the value of --files. */
    'embedded-files': { type: 'string' },
    /** URL of a PostgreSQL on which the benchmark creates databases. */
    postgres: { type: 'string', default: process.env.TEST_DATABASE_URL ?? '' },
    'kill-at': { type: 'string', default: String(0.1 + Math.random() * 0.8) },
    write: { type: 'boolean', default: false },
  },
})

interface Figures {
  readonly name: string
  readonly files: number
  readonly whole: IngestRun
  readonly again: IngestRun
  readonly killedAt: number
  readonly resumed: IngestRun
  readonly isSame: boolean
}

exitOnSignals()
const root = mkdtempSync(join(tmpdir(), 'gatehouse-ingest-'))
try {
  const all: Figures[] = []
  if (values.postgres !== '') all.push(await measure('PostgreSQL', Number(values.files), values.postgres))
  const embedded = Number(values['embedded-files'] ?? values.files)
  if (embedded > 0) all.push(await measure('embedded', embedded))
  const table = toTable(all)
  console.log(table)
  if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'ingest', `\n${table}\n`)
  if (!all.every(({ isSame }) => isSame)) process.exitCode = 1
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 3 })
}

function measure(name: string, files: number, server?: string): Promise<Figures> {
  return scoped(async (stack) => {
    const folder = join(root, `${name}-files`)
    writeMarkdownFiles(folder, files)
    const createDatabase = async (label: string): Promise<DatabaseLocation> => {
      const scratch = server === undefined ? undefined : stack.use(await createScratchDatabase(server))
      const location = { dataDir: join(root, `${name}-${label}`), databaseUrl: scratch?.url }
      await prepareWorkspace(location)
      return location
    }
    const fresh = await createDatabase('fresh')
    const whole = await runIngest(fresh, folder, files)
    console.log(name, 'whole', whole)
    const again = await runIngest(fresh, folder, files)
    console.log(name, 'again', again)

    const broken = await createDatabase('broken')
    const killedAt = Math.max(1, Math.round(files * Number(values['kill-at'])))
    const killed = await runIngest(broken, folder, files, killedAt)
    if (!killed.wasKilled) throw new Error('the ingestion ended before it was killed: use more files or a lower --kill-at')
    const resumed = await runIngest(broken, folder, files)
    console.log(name, 'killed after', killedAt, 'then', resumed)
    const [expected, actual] = [await fingerprint(fresh), await fingerprint(broken)]
    const isSame = isDeepStrictEqual(expected, actual)
    console.log(name, expected, isSame ? 'the same' : actual)
    return { name, files, whole, again, killedAt, resumed, isSame }
  })
}

function toTable(all: readonly Figures[]): string {
  const line = (what: string, cell: (figures: Figures) => string): string => `| ${what} | ${all.map(cell).join(' | ')} |`
  const mb = (at: number) => (figures: Figures) => `${figures.whole.mb[at]?.toFixed(0) ?? '–'} MB`
  return [
    line('', ({ name }) => name),
    `|---|${all.map(() => '--:').join('|')}|`,
    line('files', ({ files }) => String(files)),
    line('chunks', ({ whole }) => String(whole.chunks)),
    line('time', ({ whole }) => `${whole.seconds.toFixed(0)} s`),
    line('files a second', ({ files, whole }) => (files / whole.seconds).toFixed(0)),
    line('chunks a second', ({ whole }) => (whole.chunks / whole.seconds).toFixed(0)),
    line('memory at 10 % of the files', mb(0)),
    line('at 50 %', mb(1)),
    line('at 100 %', mb(2)),
    line('again, nothing changed', ({ again }) => `${again.seconds.toFixed(0)} s`),
    line('killed after', ({ killedAt }) => `${killedAt} files`),
    line('of those, found there by the run after it', ({ resumed }) => `${resumed.outcomes.unchanged ?? 0} files`),
    line('documents, chunks, index: as of one uninterrupted run', ({ isSame }) => (isSame ? 'the same' : '**other**')),
  ].join('\n')
}
