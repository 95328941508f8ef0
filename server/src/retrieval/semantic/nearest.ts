import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Partition } from '../partition.ts'
import type { Ranked } from '../ranked.ts'
import { EXACT_ROWS, indexedType } from './approximate-index.ts'
import type { Vector } from './embedding-answer.ts'
import type { EmbeddingModel } from './model-store.ts'
import { toSql } from './vector-store.ts'

/** Candidates beyond what was asked for, so that the exact order of the approximate ones has a choice. */
const OVERFETCH = 2
const MIN_CANDIDATES = 200
/** pgvector's own limit of `hnsw.ef_search`. */
const MAX_EF_SEARCH = 1_000

interface Row {
  readonly id: string
  readonly distance: number
}

/**
 * The entries of these partitions nearest to `vector` by this model, ties by id; similarity is their cosine, at least 0.
 *
 * Up to 50,000 visible entries all of them are compared: the result is exact, and nothing hidden has any influence. Above, where
 * the model has an index, candidates come from it. They are visible ones only and put in exact order, but which near ones are
 * among them depends on a graph that hidden vectors are part of: a visible neighbour can be missed, and that it was can be due to them.
 * No score, count or text of theirs is in the result. Where the index gives too few, all visible entries are compared after all.
 */
export async function nearest(
  db: Db,
  model: EmbeddingModel,
  workspaceUuid: string,
  partitions: readonly Partition[],
  vector: Vector,
  depth: number,
): Promise<readonly Ranked[]> {
  const ids = partitions.map(({ id }) => id)
  const approximate = model.indexed && (await countVisible(db, workspaceUuid, ids)) > EXACT_ROWS
  const near = approximate ? await approximately(db, model, ids, toSql(vector), depth) : []
  const rows = near.length >= depth ? near : await exactly(db, model, ids, toSql(vector), depth)
  return rows.map(({ id, distance }) => ({ id, similarity: Math.min(1, Math.max(0, 1 - distance)) }))
}

async function countVisible(db: Db, workspaceUuid: string, partitions: readonly number[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`select coalesce(sum(entries), 0) as count from retrieval_partition
    where workspace_id = ${workspaceUuid} and id = any(${partitions}::bigint[])`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

async function exactly(db: Db, model: EmbeddingModel, partitions: readonly number[], vector: string, depth: number) {
  const { rows } = await sql<Row>`
    select entry_id as id, embedding <=> ${vector}::vector as distance from retrieval_vector
    where model_id = ${model.id} and partition_id = any(${partitions}::bigint[]) and embedding is not null
    order by distance, id limit ${depth}`.execute(db)
  return rows
}

function approximately(db: Db, model: EmbeddingModel, partitions: readonly number[], vector: string, depth: number) {
  const type = sql.raw(indexedType(model))
  const candidates = Math.max(MIN_CANDIDATES, depth * OVERFETCH)
  return db.transaction().execute(async (tx) => {
    // Sorting is discouraged, or the planner may pass the index by; what it thinks that costs must not make it compile the query.
    await sql`select set_config('hnsw.iterative_scan', 'strict_order', true), set_config('enable_sort', 'off', true),
      set_config('jit', 'off', true), set_config('hnsw.ef_search', ${String(Math.min(candidates, MAX_EF_SEARCH))}, true)`.execute(
      tx,
    )
    const { rows } = await sql<Row>`
      with candidate as materialized (
        select entry_id, embedding from retrieval_vector
        where model_id = ${sql.lit(model.id)} and partition_id = any(${partitions}::bigint[]) and embedding is not null
        order by embedding::${type} <=> ${vector}::${type} limit ${candidates}
      )
      select entry_id as id, embedding <=> ${vector}::vector as distance from candidate
      order by distance, id limit ${depth}`.execute(tx)
    return rows
  })
}
