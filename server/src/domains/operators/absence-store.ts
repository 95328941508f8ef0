import type { Db, Tx } from '../../platform/db/database.ts'
import { type Entity, fromRow } from '../../platform/db/from-row.ts'

export type Absence = Entity<'operator_absence'>

export async function listAbsences(db: Db, now: Date): Promise<Absence[]> {
  const absences = db.selectFrom('operator_absence').selectAll().where('ends_at', '>', now)
  return (await absences.orderBy('operator_id').limit(1_000).execute()).map((row) => fromRow(row))
}

export async function setAbsence(tx: Tx, { operatorId, delegateId, startsAt, endsAt }: Absence): Promise<void> {
  const times = { delegate_id: delegateId, starts_at: startsAt, ends_at: endsAt }
  await tx
    .insertInto('operator_absence')
    .values({ operator_id: operatorId, ...times })
    .onConflict((conflict) => conflict.column('operator_id').doUpdateSet(times))
    .execute()
}

export async function removeAbsence(tx: Tx, operatorId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('operator_absence').where('operator_id', '=', operatorId).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Operator who is away → delegate. */
export type Delegates = ReadonlyMap<string, string>

export async function findDelegates(db: Db, now: Date): Promise<Delegates> {
  const absences = await listAbsences(db, now)
  return new Map(
    absences.flatMap(({ operatorId, delegateId, startsAt }) =>
      delegateId !== null && startsAt <= now ? [[operatorId, delegateId]] : [],
    ),
  )
}

/** The operator who works for `operatorId`: delegates of delegates count. Operators who represent each other keep their own work. */
export function representativeOf(operatorId: string, delegates: Delegates): string {
  const visited = new Set([operatorId])
  let current = operatorId
  for (let next = delegates.get(current); next !== undefined; next = delegates.get(current)) {
    if (visited.has(next)) return operatorId
    visited.add(next)
    current = next
  }
  return current
}

export const representedBy = (operatorId: string, delegates: Delegates): readonly string[] =>
  [...delegates.keys()].filter((id) => id !== operatorId && representativeOf(id, delegates) === operatorId)
