import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { createContext } from '../../src/context.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { readSecrets } from '../../src/platform/config/secrets.ts'
import { NEW_DATABASE, unpackDatabase } from '../../src/platform/db/embedded.ts'
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

const BUILDS = ['build-server.mjs', 'build-database.mjs'].map((name) => join(import.meta.dirname, '../../../scripts', name))

/** Builds the database and the server, which tests start as a separate process, and creates the two template folders of the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
  // Workers end without closing the servers that their files share: what is left of them is removed with the folder of the run.
  process.env.TMPDIR = root
  const templateDataDir = join(root, 'template')
  const seededDataDir = join(root, 'seeded')
  await Promise.all(BUILDS.map((script) => promisify(execFile)(process.execPath, [script])))
  unpackDatabase(NEW_DATABASE, join(templateDataDir, 'postgres'))
  await seed(seededDataDir)

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
