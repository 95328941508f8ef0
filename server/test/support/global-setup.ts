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
    /** Folder of a Unix socket behind which one embedded database serves all store tests of the run. */
    embeddedSocket: string
    /** A data folder with a fresh, migrated embedded database: copying it is faster than making one. */
    templateDataDir: string
    /** The same after a first start: the demo is in it, and the secrets it was sealed with. Servers open it in half the time. */
    seededDataDir: string
    /** A fresh, migrated database of the PostgreSQL that TEST_DATABASE_URL names, if it names one. */
    postgresUrl: string | null
    /** Whether the run is `npm run test:full` (vitest.config.ts): else a file keeps to a small share of its cases. */
    isFull: boolean
  }
}

const quiet = { onError: () => {}, onProgress: () => {}, poolSize: 2 }

/** Two templates and one embedded database for the whole run. */
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

/** What a first start does to a data folder. */
async function seed(dataDir: string): Promise<void> {
  const environment = { GATEHOUSE_DATA: dataDir, PORT: '0' }
  const config = { ...readConfig(environment), configFile: join(dataDir, 'none.yaml') }
  const log = createLogger('error', { write: (line: string) => void process.stderr.write(line) })
  const context = await createContext(config, readSecrets(environment, config), { log })
  await prepareStart(context).finally(() => context.close())
}

/** A database of this run's own on that server: what an earlier run left there, or an earlier schema, plays no part. */
async function freshPostgres(server: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `gatehouse_test_${process.pid}_${Date.now()}`
  const asked = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await asked(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  await openDatabase({ ...quiet, url: url.href, dataDir: '' }).then((database) => database.close())
  return { url: url.href, drop: () => asked(`drop database ${name} with (force)`) }
}
