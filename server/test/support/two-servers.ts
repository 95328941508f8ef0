import { onTestFinished } from 'vitest'
import { closeAfterTest } from './close-after-all.ts'
import { createOwnDatabase } from './own-database.ts'
import { startServer } from './server.ts'

/** For one test: two servers on a new database of the PostgreSQL at `url`. */
export async function startTwoServers(url: string) {
  const database = await createOwnDatabase(url)
  onTestFinished(() => database.drop())
  const env = { DATABASE_URL: database.url, GATEHOUSE_SECRET_KEY: 'x'.repeat(32) }
  const first = await closeAfterTest(startServer(env))
  const second = await closeAfterTest(startServer({ ...env, GATEHOUSE_DATA: first.config.dataDir }))
  return { first, second }
}
