import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { KEY_ID_BYTES, listSecretKeys, SEALED_VERSION, type SecretKeys, secretKeyId } from '../../platform/lib/secret-box.ts'
import { countSecondFactors } from '../operators/second-factors.ts'
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts'

export interface SealedCount {
  readonly table: string
  readonly column: string
  /** Empty: values that no configured key opens. */
  readonly keyId: string
  readonly total: number
}

/** A configured key, or one that sealed values but is not configured. */
export interface SecretKeyUse {
  readonly id: string
  readonly state: 'current' | 'next' | 'old' | 'missing'
  readonly values: number
}

export async function countSealedValues(db: Db, keys: SecretKeys): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  const add = (table: string, column: string, byKey: ReadonlyMap<string, number>): void => {
    for (const [keyId, total] of byKey) counts.push({ table, column, keyId, total })
  }
  for (const column of SEALED_COLUMNS) add(column.table, column.column, await countById(db, column))
  add('operator_second_factor', 'secret', await countSecondFactors(db, keys))
  return counts
}

async function countById(db: Db, { table, column }: SealedColumn): Promise<Map<string, number>> {
  const value = sql.ref(column)
  const { rows } = await sql<{ id: string; count: number }>`
    select encode(substring(${value} from 2 for ${sql.lit(KEY_ID_BYTES)}), 'hex') as id, count(*) as count
    from ${sql.table(table)} where substring(${value} for 1) = ${Buffer.of(SEALED_VERSION)} group by 1`.execute(db)
  return new Map(rows.map(({ id, count }) => [id, Number(count)]))
}

/** Replaces the stored counts, which the admin API shows. */
export async function storeCounts(db: Db, counts: readonly SealedCount[], now: Date): Promise<void> {
  const rows = counts.map(({ table, column, keyId, total }) => ({
    ...{ table_name: table, column_name: column, key_id: keyId },
    ...{ total, counted_at: now },
  }))
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('sealed_value_count').execute()
    if (rows.length === 0) return
    // Another node may have stored its counts at the same time.
    const insert = tx.insertInto('sealed_value_count').values(rows)
    await insert.onConflict((conflict) => conflict.doNothing()).execute()
  })
}

/** The counts that were stored last, and their time; null: none. */
export async function readCounts(db: Db): Promise<{ readonly counts: readonly SealedCount[]; readonly countedAt: Date | null }> {
  const rows = await db
    .selectFrom('sealed_value_count')
    .select(['table_name as table', 'column_name as column', 'key_id as keyId', 'total', 'counted_at'])
    .orderBy('table_name')
    .orderBy('column_name')
    .execute()
  return { counts: rows.map(({ counted_at: _, ...count }) => count), countedAt: rows[0]?.counted_at ?? null }
}

export function describeKeys(keys: SecretKeys, counts: readonly SealedCount[]): SecretKeyUse[] {
  const { nextSecretKey, oldSecretKeys = [] } = keys
  const valuesOf = (id: string): number => counts.reduce((sum, count) => sum + (count.keyId === id ? count.total : 0), 0)
  const configured = listSecretKeys(keys).map(secretKeyId)
  const [, ...others] = configured
  const missing = [...new Set(counts.map(({ keyId }) => keyId))].filter((id) => !configured.includes(id))
  const stateOf = (at: number): SecretKeyUse['state'] =>
    nextSecretKey && at === 0 && others.length > oldSecretKeys.length ? 'next' : 'old'
  return [
    { id: secretKeyId(keys.secretKey), state: 'current', values: valuesOf(secretKeyId(keys.secretKey)) },
    ...others.map((id, at) => ({ id, state: stateOf(at), values: valuesOf(id) })),
    ...missing.map((id) => ({ id: id || 'unknown', state: 'missing' as const, values: valuesOf(id) })),
  ]
}
