import type { Db } from '../../platform/db/database.ts'
import { type SecretBox, type SecretKeys, secretBox, secretKeyId } from '../../platform/lib/secret-box.ts'
import { resealSecondFactors } from '../operators/second-factors.ts'
import { readSealed, writeSealed } from './read-sealed.ts'
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts'

/** The contents of stored responses are large. */
const BATCH = 20

/** One batch of sealed values. */
export interface ResealedBatch {
  readonly column: Pick<SealedColumn, 'table' | 'column'>
  /** Values that were sealed again. */
  readonly resealed: number
  /** Values that no configured key opens. They stay as they are. */
  readonly unreadable: number
}

/**
 * Seals every value again that another key than the current one has sealed, in batches of one transaction each. Rows that another
 * transaction has locked are left for the next pass. Several nodes may run it at the same time, and it may stop after any batch.
 */
export async function* resealAll(db: Db, keys: SecretKeys): AsyncGenerator<ResealedBatch, void> {
  for (const column of SEALED_COLUMNS) {
    const box = secretBox(keys, column.purpose)
    let after: readonly string[] | undefined
    do {
      const batch = await resealBatch(db, column, { box, keyId: secretKeyId(keys.secretKey), after })
      after = batch.last
      yield { column, resealed: batch.resealed, unreadable: batch.unreadable }
    } while (after !== undefined)
  }
  yield { column: { table: 'operator_second_factor', column: 'secret' }, ...(await resealSecondFactors(db, keys)) }
}

/** `last`: key of the last row; undefined: there are no further rows. */
function resealBatch(
  db: Db,
  column: SealedColumn,
  { box, keyId, after }: { box: SecretBox; keyId: string; after: readonly string[] | undefined },
) {
  return db.transaction().execute(async (tx) => {
    const rows = await readSealed(tx, column, { after, limit: BATCH, lock: true, except: keyId })
    let resealed = 0
    for (const { key, sealed, context } of rows) {
      if (box.sealedBy(sealed, context) === undefined) continue
      await writeSealed(tx, column, key, box.seal(box.open(sealed, context), context))
      resealed += 1
    }
    return { resealed, unreadable: rows.length - resealed, last: rows.length < BATCH ? undefined : rows.at(-1)?.key }
  })
}
