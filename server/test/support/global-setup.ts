import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { readConfig } from '../../src/config/config.ts'
import { readSecrets } from '../../src/config/secrets.ts'
import { createContext } from '../../src/context.ts'
import { openDatabase } from '../../src/db/database.ts'
import { startEmbedded } from '../../src/db/embedded.ts'
import { prepareStart } from '../../src/setup/prepare.ts'
import { createLogger } from '../../src/telemetry/logger.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with the Unix socket of the embedded database that all store tests of the run share. */
    embeddedSocket: string
    /** A data folder with an empty, migrated embedded database. Copying it is faster than creating one. */
    templateDataDir: string
    /** A data folder after a first start, with the demo and its secrets. A server starts with it in half the time. */
    seededDataDir: string
    /** An empty, migrated database on the server of TEST_DATABASE_URL; null if it is not set. See `postgresUrl()` in database.ts. */
    postgresUrl: string | null
    /** The databases that the project of vitest.config.ts tests. */
    databases: ('embedded' | 'postgresql')[]
    /** Whether the run is `npm run test:full` (vitest.config.ts). Otherwise a file runs a small share of its cases. */
    isFull: boolean
  }
}

const quiet = { onError: () => {}, onProgress: () => {}, poolSize: 2 }

/** Creates two template folders and one embedded database for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
  const templateDataDir = join(root, 'template')
  await openDatabase({ ...quiet, dataDir: templateDataDir }).then((database) => database.close())
  cpSync(templateDataDir, join(root, 'shared'), { recursive: true })
  const shared = await startEmbedded({ ...quiet, dataDir: join(root, 'shared') })

  const seededDataDir = join(root, 'seeded')
  cpSync(templateDataDir, seededDataDir, { recursive: true })
  await seed(seededDataDir)

  project.provide('embeddedSocket', shared.connection.host)
  project.provide('templateDataDir', templateDataDir)
  project.provide('seededDataDir', seededDataDir)
  const postgres = process.env.TEST_DATABASE_URL ? await freshPostgres(process.env.TEST_DATABASE_URL) : undefined
  project.provide('postgresUrl', postgres?.url ?? null)
  return async () => {
    await postgres?.drop()
    await shared.stop()
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

/** Creates a database for this run, so that data and schema of earlier runs have no effect. */
async function freshPostgres(server: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `gatehouse_test_${process.pid}_${Date.now()}`
  const execute = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await execute(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  await openDatabase({ ...quiet, url: url.href, dataDir: '' }).then((database) => database.close())
  return { url: url.href, drop: () => execute(`drop database ${name} with (force)`) }
}
