import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { fingerprint, type IngestRun, type Place, prepareWorkspace, runIngest } from './support/ingest-run.ts'
import { writeMarkdownFiles } from './support/markdown-files.ts'
import { exitOnSignals } from './support/own-process.ts'
import { scoped } from './support/scoped.ts'
import { createScratchDatabase } from './support/scratch-database.ts'
import { writeBetweenMarks } from './support/table.ts'

/**
 * A folder of Markdown files through `gatehouse ingest`: userRateLimiter, memory, and what a `kill -9` at a random moment leaves once it is run
 * again, against a database that was filled without one. Exits with 1 where the two differ. See README.md.
 */
const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    /** Of the embedded database, which is slower; default: as many. */
    'embedded-files': { type: 'string' },
    /** A PostgreSQL on which databases may be made. */
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
    const place = async (which: string): Promise<Place> => {
      const scratch = server === undefined ? undefined : stack.use(await createScratchDatabase(server))
      const made = { dataDir: join(root, `${name}-${which}`), databaseUrl: scratch?.url }
      await prepareWorkspace(made)
      return made
    }
    const fresh = await place('fresh')
    const whole = await runIngest(fresh, folder, files)
    console.log(name, 'whole', whole)
    const again = await runIngest(fresh, folder, files)
    console.log(name, 'again', again)

    const broken = await place('broken')
    const killedAt = Math.max(1, Math.round(files * Number(values['kill-at'])))
    const killed = await runIngest(broken, folder, files, killedAt)
    if (!killed.wasKilled) throw new Error('it was done before it could be killed')
    const resumed = await runIngest(broken, folder, files)
    console.log(name, 'killed after', killedAt, 'then', resumed)
    const [one, other] = [await fingerprint(fresh), await fingerprint(broken)]
    const isSame = isDeepStrictEqual(one, other)
    console.log(name, one, isSame ? 'the same' : other)
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
