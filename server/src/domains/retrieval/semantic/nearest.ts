import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { withoutTransaction } from '../../../platform/db/long-statements.ts'
import { AllBut, EntryMask } from '../entry-filter.ts'
import type { Ranked } from '../fuse.ts'
import type { Partition } from '../partition.ts'
import { readScope, type Scope } from '../scope.ts'
import type { Vector } from './embedder.ts'
import type { EmbeddingModel } from './model-store.ts'
import { toSql } from './vector-store.ts'

/** Up to this many visible vectors the search compares all of them (docs/decisions/0012-semantic-search.md). */
export const EXACT_ROWS = 50_000

/** Limits of pgvector's HNSW: 2,000 dimensions with single precision, 4,000 with half precision. */
const SINGLE_PRECISION = 2_000
const HALF_PRECISION = 4_000

export const canBeIndexed = ({ dimensions }: EmbeddingModel): boolean => dimensions <= HALF_PRECISION

/** The type of a model's index. Queries must use the same type. */
const indexedType = ({ dimensions }: EmbeddingModel): string =>
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

/** Factor of additional candidates, because the approximate order differs from the exact one. */
const OVERFETCH = 2
const MIN_CANDIDATES = 200
/** pgvector's own limit of `hnsw.ef_search`. */
const MAX_EF_SEARCH = 1_000

interface Row {
  readonly id: string
  readonly distance: number
}

export interface SemanticQuery {
  readonly model: EmbeddingModel
  readonly vector: Vector
}

/**
 * The entries of these partitions nearest to the query; ties are ordered by id. Similarity is the cosine, at least 0.
 *
 * Up to 50,000 visible entries the search compares all of them: the result is exact, and hidden entries have no influence. Above that,
 * if the model has an index, candidates come from the index. They are visible entries in exact order, but the index graph contains
 * hidden vectors too, so that a near visible entry may be missed because of them. The result contains no score, count or text of hidden
 * entries. If the index returns too few, the search compares all visible entries.
 */
export async function nearest(
  tx: Tx,
  { model, vector }: SemanticQuery,
  workspaceUuid: string,
  partitions: readonly Partition[],
  depth: number,
): Promise<readonly Ranked[]> {
  const scope = await readScope(tx, workspaceUuid, partitions)
  if (scope.entries === 0) return []
  const visible = visibleIn(scope)
  const useIndex = model.indexed && scope.entries > EXACT_ROWS
  const near = useIndex ? await searchIndex(tx, model, visible, toSql(vector), depth) : []
  const rows = near.length >= depth ? near : await searchAll(tx, model, visible, toSql(vector), depth)
  return rows.map(({ id, distance }) => ({ id, similarity: Math.min(1, Math.max(0, 1 - distance)) }))
}

/** A condition for the rows of `retrieval_vector` that the viewer may see. */
function visibleIn({ languages, masks }: Scope): RawBuilder<boolean> {
  const whole = [...languages.keys()].filter((id) => !(masks.get(id) instanceof EntryMask))
  const all = [...masks.entries()]
  const denied = all.flatMap(([, mask]) => (mask instanceof AllBut ? mask.denied : []))
  const seen = all.flatMap(([partition, mask]) =>
    mask instanceof EntryMask ? [...mask.numbers()].map((number) => ({ partition, number })) : [],
  )
  const inWhole = sql<boolean>`partition_id = any(${whole}::bigint[])`
  const notDenied = denied.length === 0 ? inWhole : sql<boolean>`(${inWhole} and entry_id not in (${idsOf(denied)}))`
  return seen.length === 0 ? notDenied : sql<boolean>`(${notDenied} or entry_id in (${idsOf(seen)}))`
}

const idsOf = (entries: readonly { readonly partition: number; readonly number: number }[]) => sql`
  select entry.id from retrieval_entry entry join unnest(
    ${entries.map(({ partition }) => partition)}::bigint[], ${entries.map(({ number }) => number)}::bigint[]
  ) as listed (partition_id, number) using (partition_id, number)`

async function searchAll(tx: Tx, model: EmbeddingModel, visible: RawBuilder<boolean>, vector: string, depth: number) {
  const { rows } = await sql<Row>`
    select entry_id as id, embedding <=> ${vector}::vector as distance from retrieval_vector
    where model_id = ${model.id} and ${visible} and embedding is not null
    order by distance, id limit ${depth}`.execute(tx)
  return rows
}

async function searchIndex(tx: Tx, model: EmbeddingModel, visible: RawBuilder<boolean>, vector: string, depth: number) {
  const type = sql.raw(indexedType(model))
  const candidates = Math.max(MIN_CANDIDATES, depth * OVERFETCH)
  // Rolling back to the savepoint restores the settings for the other statements of the transaction.
  await sql`savepoint nearest`.execute(tx)
  // enable_sort off, so that the planner uses the index; jit off, because the resulting cost estimate would trigger compilation.
  await sql`select set_config('hnsw.iterative_scan', 'strict_order', true), set_config('enable_sort', 'off', true),
    set_config('jit', 'off', true), set_config('hnsw.ef_search', ${String(Math.min(candidates, MAX_EF_SEARCH))}, true)`.execute(
    tx,
  )
  const { rows } = await sql<Row>`
    with candidate as materialized (
      select entry_id, embedding from retrieval_vector
      where model_id = ${sql.lit(model.id)} and ${visible} and embedding is not null
      order by embedding::${type} <=> ${vector}::${type} limit ${candidates}
    )
    select entry_id as id, embedding <=> ${vector}::vector as distance from candidate
    order by distance, id limit ${depth}`.execute(tx)
  await sql`rollback to savepoint nearest`.execute(tx)
  return rows
}
