import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../src/db/database.ts'
import { startEmbedded } from '../../src/db/embedded.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of a Unix socket behind which one embedded database serves all store tests of the run. */
    embeddedSocket: string
    /** A data folder with a fresh, migrated embedded database: copying it is faster than making one. */
    templateDataDir: string
    /** A real PostgreSQL, if TEST_DATABASE_URL names one. */
    postgresUrl: string | null
  }
}

const quiet = { onError: () => {}, onProgress: () => {}, poolSize: 2 }

/** One template and one embedded database for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
  const templateDataDir = join(root, 'template')
  await openDatabase({ ...quiet, dataDir: templateDataDir }).then((database) => database.close())
  cpSync(templateDataDir, join(root, 'shared'), { recursive: true })
  const shared = await startEmbedded({ ...quiet, dataDir: join(root, 'shared') })

  project.provide('embeddedSocket', shared.connection.host)
  project.provide('templateDataDir', templateDataDir)
  project.provide('postgresUrl', process.env.TEST_DATABASE_URL ?? null)
  return async () => {
    await shared.stop()
    rmSync(root, { recursive: true, force: true, maxRetries: 3 })
  }
}
