import type { Environment } from '../../src/platform/config/environment.ts'
import { createOwnDatabase } from './own-database.ts'

/** A pooler in transaction mode in front of the server of TEST_DATABASE_URL, for example PgBouncer (docs/high-availability.md). */
export const poolerUrl = (): string | undefined => process.env.TEST_POOLER_URL || undefined

/** The variables that let a server use this database through the pooler. */
export function throughPooler(databaseUrl: string): Environment {
  const pooled = new URL(poolerUrl() ?? '')
  pooled.pathname = new URL(databaseUrl).pathname
  return { DATABASE_URL: pooled.href, GATEHOUSE_DATABASE_SESSION_URL: databaseUrl }
}

/** With TEST_POOLER_URL: puts a server that would use the embedded database on a new PostgreSQL behind the pooler. */
export async function usePooler(env: Environment): Promise<{ readonly env: Environment; readonly drop: () => Promise<void> }> {
  const server = process.env.TEST_DATABASE_URL
  if (!poolerUrl() || !server || env.DATABASE_URL) return { env, drop: async () => {} }
  const { url, drop } = await createOwnDatabase(server)
  return { env: { GATEHOUSE_SECRET_KEY: 'x'.repeat(32), ...env, ...throughPooler(url) }, drop }
}
