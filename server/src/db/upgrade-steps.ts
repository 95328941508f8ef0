import { sql } from 'kysely'
import type { Db } from './database.ts'

declare module './schema.ts' {
  interface Schema {
    upgrade_step: UpgradeStepTable
  }
}

/** A change of behaviour that nodes of the last release do not know. It starts a day after its migration, when none of them runs. */
export interface UpgradeStepTable {
  name: string
  starts_at: Date
}

/** Starts all steps at once. Returns the names of those that had not started. */
export async function finishUpgrade(db: Db): Promise<string[]> {
  const rows = await db
    .updateTable('upgrade_step')
    .set({ starts_at: sql<Date>`now()` })
    .where('starts_at', '>', sql<Date>`now()`)
    .returning('name')
    .execute()
  return rows.map(({ name }) => name)
}
