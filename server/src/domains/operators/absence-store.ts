import type { Db, Tx } from '../../platform/db/database.ts'

/** A time in which an operator does not work. Items for the operator go to the delegate. */
export interface Absence {
  /** `opr_…` */
  readonly operatorId: string
  /** null: no delegate, or the delegate was removed. */
  readonly delegateId: string | null
  readonly startsAt: Date
  readonly endsAt: Date
}

const selectAbsences = (db: Db) =>
  db
    .selectFrom('operator_absence')
    .select(['operator_id as operatorId', 'delegate_id as delegateId', 'starts_at as startsAt', 'ends_at as endsAt'])

/** Current and future absences: at most one for each operator. */
export const listAbsences = (db: Db, now: Date): Promise<Absence[]> =>
  selectAbsences(db).where('ends_at', '>', now).orderBy('operator_id').limit(1_000).execute()

/** Replaces the operator's absence. */
export async function setAbsence(tx: Tx, { operatorId, delegateId, startsAt, endsAt }: Absence): Promise<void> {
  const times = { delegate_id: delegateId, starts_at: startsAt, ends_at: endsAt }
  await tx
    .insertInto('operator_absence')
    .values({ operator_id: operatorId, ...times })
    .onConflict((conflict) => conflict.column('operator_id').doUpdateSet(times))
    .execute()
}

/** False if there is no absence. */
export async function removeAbsence(tx: Tx, operatorId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('operator_absence').where('operator_id', '=', operatorId).executeTakeFirst()
  return numDeletedRows > 0n
}

/** The delegates of the operators who are away now. */
export async function findDelegates(db: Db, now: Date): Promise<ReadonlyMap<string, string>> {
  const absences = await listAbsences(db, now)
  return new Map(
    absences.flatMap(({ operatorId, delegateId, startsAt }) =>
      delegateId !== null && startsAt <= now ? [[operatorId, delegateId]] : [],
    ),
  )
}
