import type { QuotaAnswer, QuotaStore } from '../../../src/domains/limits/shared/quota-store.ts'
import type { Database } from '../../../src/platform/db/database.ts'
import { EXCHANGE } from '../../../src/platform/db/migrations/0004-limits.ts'
import { testDatabases } from '../database.ts'
import { word } from '../scripted-provider.ts'

/** A store whose clock the test sets. */
export interface VirtualStore extends QuotaStore {
  /** Milliseconds since 1970. */
  now: number
  close(): Promise<void>
}

/** The function of the database with the time as a parameter. */
async function openDatabaseStore(database: Database): Promise<VirtualStore> {
  const name = `exchange_${word()}`
  const virtual = EXCHANGE.replace('exchange_quota', name)
    .replace('requests jsonb)', 'requests jsonb, virtual_ms bigint)')
    .replace('floor(extract(epoch from clock_timestamp()) * 1000)', 'virtual_ms')
  await database.pool.query(virtual)
  const store: VirtualStore = {
    now: 0,
    async exchange({ batch, requests }): Promise<readonly QuotaAnswer[]> {
      const values = [batch, null, JSON.stringify(requests), store.now]
      const { rows } = await database.pool.query<{ answers: QuotaAnswer[] }>(`select ${name}($1, $2, $3, $4) as answers`, values)
      return rows[0]?.answers ?? []
    },
    close: async () => {
      await database.pool.query(`drop function ${name}`)
      await database.close()
    },
  }
  return store
}

/** The databases of this run. */
export const virtualStores = () =>
  testDatabases().map(({ name, open }) => ({ name, open: async () => openDatabaseStore(await open()) }))
