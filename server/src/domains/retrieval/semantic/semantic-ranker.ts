import type { Db, Tx } from '../../../platform/db/database.ts'
import { Cache } from '../../../platform/lib/cache.ts'
import type { Partition } from '../partition.ts'
import type { Ranked } from '../ranked.ts'
import type { Embedder } from './embedder.ts'
import type { Vector } from './embedding-response.ts'
import { type EmbeddingModel, findReadyModel } from './model-store.ts'
import { nearest } from './nearest.ts'
import { type QueryReports, QueryVectors } from './query-vectors.ts'

/** A query as a vector of a model. */
export interface SemanticQuery {
  readonly model: EmbeddingModel
  readonly vector: Vector
}

export interface SemanticRanker {
  /** Embeds a query of a viewer who sees these partitions. Returns undefined if no model is ready or the embedder fails. */
  prepare(query: string, partitions: readonly Partition[]): Promise<SemanticQuery | undefined>
}

export interface SemanticRankerDeps extends QueryReports {
  readonly db: Db
  readonly embedder: Embedder
}

/** Ranks by the vectors of the ready model. Requires a database that `prepareVectors` has prepared. */
export function createSemanticRanker({ db, embedder, ...reports }: SemanticRankerDeps): SemanticRanker {
  const models = new Cache<EmbeddingModel | undefined>(() => findReadyModel(db), { maxEntries: 1 })
  const queries = new QueryVectors(embedder, reports)
  return {
    async prepare(query, partitions) {
      if (partitions.length === 0 || query.trim() === '') return undefined
      const model = await models.get('')
      const vector = model && (await queries.vectorOf(model, partitions, query))
      return vector && { model, vector }
    },
  }
}

/** Like `Ranker.rank`, by meaning. */
export const rankSemantically = async (
  snapshot: Tx,
  workspaceUuid: string,
  partitions: readonly Partition[],
  { model, vector }: SemanticQuery,
  depth: number,
): Promise<readonly Ranked[]> =>
  partitions.length === 0 ? [] : nearest(snapshot, model, workspaceUuid, partitions, vector, depth)
