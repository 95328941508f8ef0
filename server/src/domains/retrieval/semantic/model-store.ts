import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import type { RowOf } from '../../../platform/db/from-row.ts'
import type { ModelChoice } from './embedder.ts'

const COLUMNS = ['id', 'name', 'dimensions', 'shortened', 'state', 'indexed'] as const

/** A model with vectors in the database. Vectors of different models are never compared. */
export type EmbeddingModel = Readonly<Pick<RowOf<'embedding_model'>, (typeof COLUMNS)[number]>>

/** Another node continues the work of a silent node after this. */
const LEASE = '60 seconds'
/** Other nodes may use a retired model as the ready one for a moment. */
const GRACE = '60 seconds'
/** A building model that no node has worked on for this long was given up. */
const ABANDONED = '1 day'

export const choiceOf = ({ name, dimensions, shortened }: EmbeddingModel): ModelChoice => ({
  name,
  dimensions: shortened ? dimensions : undefined,
})

/** Declares the model that this server is configured with; a retired one is built again. */
export async function declareModel(
  db: Db,
  { name, dimensions: requested }: ModelChoice,
  dimensions: number,
): Promise<EmbeddingModel> {
  const shortened = requested !== undefined
  return db
    .insertInto('embedding_model')
    .values({ name, dimensions, shortened, state: 'building', leased_by: null })
    .onConflict((conflict) =>
      conflict.columns(['name', 'dimensions']).doUpdateSet({
        shortened,
        state: sql`case embedding_model.state when 'retired' then 'building' else embedding_model.state end`,
      }),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
}

export async function findModel(db: Db, id: number): Promise<EmbeddingModel | undefined> {
  return db.selectFrom('embedding_model').select(COLUMNS).where('id', '=', id).executeTakeFirst()
}

/** The model that serves queries; undefined while the first one is building. */
export async function findReadyModel(db: Db): Promise<EmbeddingModel | undefined> {
  return db
    .selectFrom('embedding_model')
    .select(COLUMNS)
    .where('state', '=', 'ready')
    .orderBy('changed_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()
}

/** Makes this model serve queries, and retires the previous one. */
export async function switchTo(db: Db, id: number): Promise<void> {
  await sql`update embedding_model set state = case id when ${id} then 'ready' else 'retired' end, changed_at = now()
    where id = ${id} or state = 'ready'`.execute(db)
}

export async function markIndexed(db: Db, id: number, indexed: boolean): Promise<void> {
  await db.updateTable('embedding_model').set({ indexed }).where('id', '=', id).execute()
}

/** Retires models that no node builds any more. */
export async function retireAbandoned(db: Db, current: number): Promise<void> {
  await sql`update embedding_model set state = 'retired', changed_at = now()
    where state = 'building' and id <> ${current} and leased_until < now() - ${ABANDONED}::interval`.execute(db)
}

/** Retired models that no node uses any more. */
export async function retiredModels(db: Db): Promise<readonly EmbeddingModel[]> {
  return db
    .selectFrom('embedding_model')
    .select(COLUMNS)
    .where('state', '=', 'retired')
    .where('changed_at', '<', sql<Date>`now() - ${GRACE}::interval`)
    .execute()
}

/** Deletes a retired model that has no vectors. */
export async function forgetModel(db: Db, id: number): Promise<void> {
  await sql`delete from embedding_model where id = ${id} and state = 'retired'
    and not exists (select from retrieval_vector where model_id = ${id})`.execute(db)
}

/** Leases the model to `node`, or extends its lease. False: another node has the lease. */
export async function leaseModel(db: Db, id: number, node: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update embedding_model set leased_by = ${node}, leased_until = now() + ${LEASE}::interval
    where id = ${id} and (leased_by = ${node} or leased_by is null or leased_until < now())`.execute(db)
  return numAffectedRows === 1n
}

export async function releaseModel(db: Db, id: number, node: string): Promise<void> {
  await db.updateTable('embedding_model').set({ leased_by: null }).where('id', '=', id).where('leased_by', '=', node).execute()
}
