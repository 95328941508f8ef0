import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { createContext } from '../../src/context.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { readSecrets } from '../../src/platform/config/secrets.ts'
import { openDatabase } from '../../src/platform/db/database.ts'
import { createLogger } from '../../src/platform/telemetry/logger.ts'
import { prepareStart } from '../../src/tools/start/prepare.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the run's databases, which is removed at its end. */
    runFolder: string
    /** The names of the run's databases on PostgreSQL begin with it; what is left of them is removed at its end. */
    runName: string
    /** A data folder with an empty, migrated embedded database. Copying it is faster than creating one. */
    templateDataDir: string
    /** A data folder after a first start, with the demo and its secrets. A server starts with it in half the time. */
    seededDataDir: string
    /** TEST_DATABASE_URL: a server on which tests create databases; null if it is not set. See `postgresUrl()` in database.ts. */
    postgresUrl: string | null
    /** The databases that the project of vitest.config.ts tests. */
    databases: ('embedded' | 'postgresql')[]
    /** Whether the run is `npm run test:full` (vitest.config.ts). Otherwise a file runs a small share of its cases. */
    isFull: boolean
  }
}

/** template1 and template0: 600 of the 1,400 files that each test server would copy, although nothing opens these databases. */
const UNUSED_DATABASES = ['1', '4']

const BUILD = join(import.meta.dirname, '../../../scripts/build-server.mjs')

/** Creates the two template folders of the run, and builds server/dist, which tests start as a separate process. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
  // Workers end without closing the servers that their files share: what is left of them is removed with the folder of the run.
  process.env.TMPDIR = root
  const templateDataDir = join(root, 'template')
  const seededDataDir = join(root, 'seeded')
  await Promise.all([promisify(execFile)(process.execPath, [BUILD]), createTemplates(templateDataDir, seededDataDir)])

  const runName = `gatehouse_test_${process.pid}_${Date.now()}`
  const server = process.env.TEST_DATABASE_URL
  project.provide('runFolder', root)
  project.provide('runName', runName)
  project.provide('templateDataDir', templateDataDir)
  project.provide('seededDataDir', seededDataDir)
  project.provide('postgresUrl', server ?? null)
  return async () => {
    if (server) await dropDatabases(server, runName)
    rmSync(root, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function createTemplates(templateDataDir: string, seededDataDir: string): Promise<void> {
  await openDatabase({ onError: () => {}, onProgress: () => {}, poolSize: 2, dataDir: templateDataDir }).then((database) =>
    database.close(),
  )
  for (const oid of UNUSED_DATABASES) rmSync(join(templateDataDir, 'postgres/base', oid), { recursive: true })
  cpSync(templateDataDir, seededDataDir, { recursive: true })
  await seed(seededDataDir)
}

/** Prepares a data folder as a first start does. */
async function seed(dataDir: string): Promise<void> {
  const environment = { GATEHOUSE_DATA: dataDir, PORT: '0' }
  const config = { ...readConfig(environment), configFile: join(dataDir, 'none.yaml') }
  const log = createLogger('error', 'test', { write: (line: string) => void process.stderr.write(line) })
  const context = await createContext(config, readSecrets(environment, config), { log })
  await prepareStart(context).finally(() => context.close())
}

/** Removes the databases of workers, which end without closing them. */
async function dropDatabases(server: string, runName: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [runName])
  for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`)
  await client.end()
}
