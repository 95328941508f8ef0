import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import type { PartitionKind } from '../tables.ts'
import type { Vector } from './embedder.ts'

/** An entry without a vector. The kind of its partition determines the source of its text. */
export interface Unembedded {
  readonly id: string
  readonly workspace: string
  readonly kind: PartitionKind
}

/** null: the model cannot embed the text. */
export type Embedding = readonly [entryId: string, vector: Vector | null]

export const toSql = (vector: Vector): string => `[${vector.join()}]`

/** A condition on `retrieval_partition` as `partition`: the partitions whose texts may be embedded. */
export type Embeddable = RawBuilder<boolean>

/** A cheap fingerprint that changes whenever an entry is added, or the entries of a partition become embeddable. */
export async function stateOfEntries(db: Db, embeddable: Embeddable): Promise<string> {
  const { rows } = await sql<{ state: string }>`
    select concat_ws(' ', count(*), max(id), sum(id), sum(next_number)) as state
    from retrieval_partition as partition where ${embeddable}`.execute(db)
  return rows[0]?.state ?? ''
}

interface Choice {
  readonly embeddable: Embeddable
  /** Ids after this one. */
  readonly after: string
  readonly limit: number
}

/** Entries without a vector of this model, ordered by id. */
export async function unembedded(db: Db, modelId: number, { embeddable, after, limit }: Choice): Promise<readonly Unembedded[]> {
  return db
    .selectFrom('retrieval_entry as entry')
    .innerJoin('retrieval_partition as partition', 'partition.id', 'entry.partition_id')
    .select(['entry.id', 'partition.workspace_id as workspace', 'partition.kind'])
    .where('entry.id', '>', after)
    .where(embeddable)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('retrieval_vector as vector')
            .select('vector.entry_id')
            .whereRef('vector.entry_id', '=', 'entry.id')
            .where('vector.model_id', '=', modelId),
        ),
      ),
    )
    .orderBy('entry.id')
    .limit(limit)
    .execute()
}

/** Skips entries that are deleted or locked for deletion, instead of waiting for the deleting transaction. */
export async function storeEmbeddings(db: Db, modelId: number, embeddings: readonly Embedding[]): Promise<void> {
  await sql`
    insert into retrieval_vector (model_id, partition_id, entry_id, embedding)
    select ${modelId}, entry.partition_id, entry.id, made.embedding::vector
    from unnest(
      ${embeddings.map(([id]) => id)}::uuid[],
      ${embeddings.map(([, vector]) => vector && toSql(vector))}::text[]
    ) as made (id, embedding)
    join retrieval_entry entry on entry.id = made.id
    for key share of entry skip locked
    on conflict do nothing`.execute(db)
}

export async function countVectors(db: Db, modelId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from retrieval_vector where model_id = ${modelId}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Returns the number of deleted vectors; fewer than `limit` means that none is left. */
export async function deleteVectors(db: Db, modelId: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from retrieval_vector where ctid = any(array(
      select ctid from retrieval_vector where model_id = ${modelId} limit ${limit} for update skip locked))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
