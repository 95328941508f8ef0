import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { withoutTransaction } from '../../../platform/db/long-statements.ts'
import type { EmbeddingModel } from './model-store.ts'

/** Up to this many visible vectors the search compares all of them (docs/decisions/0012-semantic-search.md). */
export const EXACT_ROWS = 50_000

/** Limits of pgvector's HNSW: 2,000 dimensions with single precision, 4,000 with half precision. */
const SINGLE_PRECISION = 2_000
const HALF_PRECISION = 4_000

export const canBeIndexed = ({ dimensions }: EmbeddingModel): boolean => dimensions <= HALF_PRECISION

/** The type of a model's index. Queries must use the same type. */
export const indexedType = ({ dimensions }: EmbeddingModel): string =>
  `${dimensions > SINGLE_PRECISION ? 'halfvec' : 'vector'}(${dimensions})`

const indexName = ({ id }: EmbeddingModel): RawBuilder<unknown> => sql.ref(`retrieval_vector_hnsw_${id}`)

/** Builds the model's HNSW index without blocking searches and writes. Drops an incomplete index of an earlier attempt first. */
export async function buildIndex(db: Db, model: EmbeddingModel): Promise<void> {
  const type = indexedType(model)
  await dropIndex(db, model)
  const build = sql`create index concurrently ${indexName(model)} on retrieval_vector
    using hnsw ((embedding::${sql.raw(type)}) ${sql.raw(type.startsWith('half') ? 'halfvec_cosine_ops' : 'vector_cosine_ops')})
    where model_id = ${sql.lit(model.id)}`
  await withoutTransaction(db, (connection) => build.execute(connection))
}

export async function dropIndex(db: Db, model: EmbeddingModel): Promise<void> {
  const drop = sql`drop index concurrently if exists ${indexName(model)}`
  await withoutTransaction(db, (connection) => drop.execute(connection))
}
