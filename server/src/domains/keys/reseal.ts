import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { KEY_ID_BYTES, SEALED_VERSION, type SecretKeys, secretBox, secretKeyId } from '../../platform/lib/secret-box.ts'
import { resealSecondFactors } from '../operators/second-factors.ts'
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts'

/** The contents of stored responses are large. */
const BATCH = 20

export interface ResealedBatch {
  readonly column: Pick<SealedColumn, 'table' | 'column'>
  readonly resealed: number
  /** Values that no configured key opens. They stay as they are. */
  readonly unreadable: number
}

/**
 * In batches of one transaction each. Rows that another transaction has locked are left for the next pass. Several nodes may run it at the same
 * time, and it may stop after any batch.
 */
export async function* resealAll(db: Db, keys: SecretKeys): AsyncGenerator<ResealedBatch, void> {
  for (const column of SEALED_COLUMNS) {
    let after: readonly string[] | undefined
    do {
      const { last, ...batch } = await resealBatch(db, column, keys, after)
      after = last
      yield { column, ...batch }
    } while (after !== undefined)
  }
  yield { column: { table: 'operator_second_factor', column: 'secret' }, ...(await resealSecondFactors(db, keys)) }
}

/** `after`, `last`: key of the last row; undefined: there are no rows before, or after the batch. */
function resealBatch(db: Db, column: SealedColumn, keys: SecretKeys, after: readonly string[] | undefined) {
  const box = secretBox(keys, column.purpose)
  return db.transaction().execute(async (tx) => {
    const rows = await lockRows(tx, column, secretKeyId(keys.secretKey), after)
    let resealed = 0
    for (const { key, sealed, context } of rows) {
      if (box.sealedBy(sealed, context) === undefined) continue
      const again = box.seal(box.open(sealed, context), context)
      await sql`update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${again}
        where (${references(column.key)}) = (${sql.join(key)})`.execute(tx)
      resealed += 1
    }
    return { resealed, unreadable: rows.length - resealed, last: rows.length < BATCH ? undefined : rows.at(-1)?.key }
  })
}

/** Locks the next rows in the order of the primary key, except those whose value carries this id. */
async function lockRows(db: Db, column: SealedColumn, except: string, after: readonly string[] | undefined) {
  const names = [...column.key, ...(column.more ?? [])]
  const value = sql.ref(column.column)
  const header = Buffer.concat([Buffer.of(SEALED_VERSION), Buffer.from(except, 'hex')])
  const { rows } = await sql<{ sealed: Buffer; fields: (string | null)[] }>`
    select ${value} as sealed, array[${sql.join(names.map((name) => sql`${sql.ref(name)}::text`))}] as fields
    from ${sql.table(column.table)}
    where ${value} is not null and substring(${value} for ${sql.lit(1 + KEY_ID_BYTES)}) <> ${header}
      ${after ? sql`and (${references(column.key)}) > (${sql.join(after)})` : sql``}
    order by ${references(column.key)} limit ${BATCH} for no key update skip locked`.execute(db)
  return rows.map(({ sealed, fields }) => ({
    sealed,
    key: fields.slice(0, column.key.length).map(String),
    context: column.context(Object.fromEntries(names.flatMap((name, at) => (fields[at] == null ? [] : [[name, fields[at]]])))),
  }))
}

const references = (names: readonly string[]): RawBuilder<unknown> => sql.join(names.map((name) => sql.ref(name)))
