import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import type { QuotaAnswer, QuotaStore } from './quota-store.ts'

/** How long a limit is kept after it is full again and all its leases have ended. */
const KEPT_MS = 120_000

/** The state of the limits in PostgreSQL, in the table `quota`: one statement for each exchange (platform/db/migrations/0004-limits.ts). */
export const postgresStore = (db: Db): QuotaStore => ({
  async exchange({ batch, requests }) {
    // The null: the limits were never counted in another store.
    const { rows } = await sql<{ answers: QuotaAnswer[] }>`
      select exchange_quota(${batch}::bigint, null, ${JSON.stringify(requests)}::jsonb) as answers
    `.execute(db)
    return rows[0]?.answers ?? []
  },
})

/** Removes at most `most` limits that are not in use; returns how many. */
export async function removeIdleQuotas(db: Db, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from quota where key in (
      select key from quota
      where idle_at < extract(epoch from clock_timestamp()) * 1000 - ${KEPT_MS}::bigint
      limit ${most} for update skip locked
    )
  `.execute(db)
  return Number(numAffectedRows)
}
