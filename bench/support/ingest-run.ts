import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { openDatabase } from '../../server/src/db/database.ts'
import { gatehouseEnv } from './gatehouse.ts'
import { startProcess } from './own-process.ts'
import { residentMb } from './process-stats.ts'

const MAIN = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))

/** An embedded database in `dataDir`, or the PostgreSQL at `databaseUrl`. */
export interface DatabaseLocation {
  readonly dataDir: string
  readonly databaseUrl: string | undefined
}

/** Result of one run of `gatehouse ingest`. `mb`: memory at 10 %, 50 % and 100 % of the files. */
export interface IngestRun {
  readonly seconds: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly chunks: number
  readonly mb: readonly number[]
  readonly wasKilled: boolean
}

const program = ({ dataDir, databaseUrl }: DatabaseLocation, args: readonly string[]) =>
  startProcess(MAIN, {
    args,
    env: { ...gatehouseEnv({ dataDir, databaseUrl, providerPort: 1 }, 0), GATEHOUSE_DEMO: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** Creates a database with one Workspace. */
export async function prepareWorkspace(location: DatabaseLocation): Promise<void> {
  mkdirSync(location.dataDir, { recursive: true })
  const file = join(location.dataDir, 'gatehouse.yaml')
  writeFileSync(file, 'workspaces: [{ name: acme, collections: [{ name: files, classification: internal, acl: everyone }] }]\n')
  const own = program(location, ['apply', file])
  own.child.stdout?.resume()
  await own.ended
  if (own.child.exitCode !== 0) throw new Error('gatehouse apply failed')
}

/** Ingests a folder of `files` files. `killAt`: number of reported files after which the process is killed. */
export async function runIngest(
  location: DatabaseLocation,
  folder: string,
  files: number,
  killAt = Number.POSITIVE_INFINITY,
): Promise<IngestRun> {
  const own = program(location, ['ingest', folder, '--collection', 'files', '--json'])
  const { stdout } = own.child
  if (!stdout) throw new Error('no standard output')
  const startedAt = performance.now()
  const outcomes: Record<string, number> = {}
  const mb: number[] = []
  let [seen, chunks] = [0, 0]
  const marks = [Math.ceil(files / 10), Math.ceil(files / 2), files]
  for await (const line of createInterface({ input: stdout })) {
    const report = JSON.parse(line)
    if (report.object === 'ingest_summary') continue
    outcomes[report.outcome] = (outcomes[report.outcome] ?? 0) + 1
    if (report.outcome === 'added') chunks += report.chunks
    if (++seen === marks[mb.length] && !own.hasEnded()) mb.push(residentMb(own.pid))
    if (seen >= killAt) {
      await own.kill()
      break
    }
  }
  if (!own.hasEnded()) await once(own.child, 'exit')
  const wasKilled = own.child.signalCode === 'SIGKILL'
  if (!wasKilled && own.child.exitCode !== 0) throw new Error(`gatehouse ingest ended with ${own.child.exitCode}`)
  return { seconds: (performance.now() - startedAt) / 1_000, outcomes, chunks, mb, wasKilled }
}

/** Hashes and counts of a collection without ids and times: equal for collections with equal contents. */
export async function fingerprint({ dataDir, databaseUrl: url }: DatabaseLocation) {
  const { db, close } = await openDatabase({ url, dataDir, poolSize: 1, onError: () => {}, onProgress: () => {} })
  try {
    const { rows } = await sql<Readonly<Record<string, string | number>>>`
      select (select count(*) from knowledge_document) as documents,
        (select md5(string_agg(key || encode(content_hash, 'hex') || chunks || version, ',' order by key)) from knowledge_document) as versions,
        (select count(*) from knowledge_chunk) as chunks,
        (select md5(string_agg(key || position || md5(content), ',' order by key, position))
          from knowledge_chunk join knowledge_document on knowledge_document.id = document_id) as texts,
        (select count(*) from retrieval_entry) as entries,
        (select sum(entries) from retrieval_partition) as counted,
        (select sum(total_length) from retrieval_partition) as length,
        (select count(*) from (select distinct partition_id, term from retrieval_posting) as terms) as terms,
        (select sum(octet_length(postings)) from retrieval_posting) as postings`.execute(db)
    return rows[0] ?? {}
  } finally {
    await close()
  }
}
