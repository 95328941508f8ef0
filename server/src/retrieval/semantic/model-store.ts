import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { ModelChoice } from './embedder.ts'

/** A model that has made vectors, or is about to. Vectors of different models are never compared. */
export interface EmbeddingModel {
  readonly id: number
  readonly name: string
  readonly dimensions: number
  /** Whether the server has to be asked for that many dimensions. */
  readonly shortened: boolean
  readonly state: 'building' | 'ready' | 'retired'
  /** Whether its approximate index is there, and whole. */
  readonly indexed: boolean
}

const COLUMNS = ['id', 'name', 'dimensions', 'shortened', 'state', 'indexed'] as const

/** A node may be silent for so long before another goes on with its work. */
const LEASE = '60 seconds'
/** Other nodes may take a retired model for the ready one for a moment. */
const GRACE = '60 seconds'
/** A model that nobody has worked on for so long while it was building has been given up. */
const ABANDONED = '1 day'

export const choiceOf = ({ name, dimensions, shortened }: EmbeddingModel): ModelChoice => ({
  name,
  dimensions: shortened ? dimensions : undefined,
})

/** Declares the model that this server is configured with; one that had been retired is built anew. */
export async function declareModel(
  db: Db,
  { name, dimensions: asked }: ModelChoice,
  dimensions: number,
): Promise<EmbeddingModel> {
  const shortened = asked !== undefined
  const row = await db
    .insertInto('embedding_model')
    .values({ name, dimensions, shortened, state: 'building', leased_by: null })
    .onConflict((conflict) =>
      conflict.columns(['name', 'dimensions']).doUpdateSet({
        shortened,
        state: sql<string>`case embedding_model.state when 'retired' then 'building' else embedding_model.state end`,
      }),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return row as EmbeddingModel
}

export async function findModel(db: Db, id: number): Promise<EmbeddingModel | undefined> {
  const row = await db.selectFrom('embedding_model').select(COLUMNS).where('id', '=', id).executeTakeFirst()
  return row as EmbeddingModel | undefined
}

/** The model whose vectors answer queries; undefined while the first one is building. */
export async function answeringModel(db: Db): Promise<EmbeddingModel | undefined> {
  const row = await db
    .selectFrom('embedding_model')
    .select(COLUMNS)
    .where('state', '=', 'ready')
    .orderBy('changed_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return row as EmbeddingModel | undefined
}

/** From now on this model answers, and no other. */
export async function switchTo(db: Db, id: number): Promise<void> {
  await sql`update embedding_model set state = case id when ${id} then 'ready' else 'retired' end, changed_at = now()
    where id = ${id} or state = 'ready'`.execute(db)
}

export async function markIndexed(db: Db, id: number, indexed: boolean): Promise<void> {
  await db.updateTable('embedding_model').set({ indexed }).where('id', '=', id).execute()
}

/** Gives up models that nobody builds any more. */
export async function retireAbandoned(db: Db, current: number): Promise<void> {
  await sql`update embedding_model set state = 'retired', changed_at = now()
    where state = 'building' and id <> ${current} and leased_until < now() - ${ABANDONED}::interval`.execute(db)
}

/** Models that surely answer nobody any more. */
export async function retiredModels(db: Db): Promise<readonly EmbeddingModel[]> {
  const rows = await db
    .selectFrom('embedding_model')
    .select(COLUMNS)
    .where('state', '=', 'retired')
    .where('changed_at', '<', sql<Date>`now() - ${GRACE}::interval`)
    .execute()
  return rows as EmbeddingModel[]
}

/** Nothing happens when it has vectors still, or again. */
export async function forgetModel(db: Db, id: number): Promise<void> {
  await sql`delete from embedding_model where id = ${id} and state = 'retired'
    and not exists (select from retrieval_vector where model_id = ${id})`.execute(db)
}

/** Makes `node` the one that works on this model; the same call again makes it so for longer. False: somebody else is. */
export async function leaseModel(db: Db, id: number, node: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update embedding_model set leased_by = ${node}, leased_until = now() + ${LEASE}::interval
    where id = ${id} and (leased_by = ${node} or leased_by is null or leased_until < now())`.execute(db)
  return numAffectedRows === 1n
}

export async function releaseModel(db: Db, id: number, node: string): Promise<void> {
  await db.updateTable('embedding_model').set({ leased_by: null }).where('id', '=', id).where('leased_by', '=', node).execute()
}
