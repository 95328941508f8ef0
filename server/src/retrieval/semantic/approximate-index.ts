import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { withoutTransaction } from '../../db/long-statements.ts'
import type { EmbeddingModel } from './model-store.ts'

/** Up to here every visible vector is compared: complete, and fast enough (docs/decisions/0012-semantic-search.md). */
export const EXACT_ROWS = 50_000

/** What pgvector's HNSW takes: single precision to 2,000 dimensions, half precision to 4,000. */
const SINGLE_PRECISION = 2_000
const HALF_PRECISION = 4_000

export const canBeIndexed = ({ dimensions }: EmbeddingModel): boolean => dimensions <= HALF_PRECISION

/** The type over which a model's index is built, and in which its queries must ask. */
export const indexedType = ({ dimensions }: EmbeddingModel): string =>
  `${dimensions > SINGLE_PRECISION ? 'halfvec' : 'vector'}(${dimensions})`

const nameOf = ({ id }: EmbeddingModel): RawBuilder<unknown> => sql.ref(`retrieval_vector_hnsw_${id}`)

/** Builds the model's own HNSW index while searches and writes go on; what an earlier attempt left half-done is dropped first. */
export async function buildIndex(db: Db, model: EmbeddingModel): Promise<void> {
  const type = indexedType(model)
  await dropIndex(db, model)
  const build = sql`create index concurrently ${nameOf(model)} on retrieval_vector
    using hnsw ((embedding::${sql.raw(type)}) ${sql.raw(type.startsWith('half') ? 'halfvec_cosine_ops' : 'vector_cosine_ops')})
    where model_id = ${sql.lit(model.id)}`
  await withoutTransaction(db, (connection) => build.execute(connection))
}

export async function dropIndex(db: Db, model: EmbeddingModel): Promise<void> {
  const drop = sql`drop index concurrently if exists ${nameOf(model)}`
  await withoutTransaction(db, (connection) => drop.execute(connection))
}
