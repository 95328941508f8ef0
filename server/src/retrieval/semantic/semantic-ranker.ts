import type { Db } from '../../db/database.ts'
import { Cache } from '../../lib/cache.ts'
import type { Partition } from '../partition.ts'
import type { Ranked } from '../ranked.ts'
import type { Embedder } from './embedder.ts'
import { answeringModel, type EmbeddingModel } from './model-store.ts'
import { nearest } from './nearest.ts'
import { type QueryReports, QueryVectors } from './query-vectors.ts'

export interface SemanticRanker {
  /** As `Ranker.rank`, by meaning; undefined when there is no model ready or the embedder does not answer. */
  rank(
    workspaceUuid: string,
    partitions: readonly Partition[],
    query: string,
    depth: number,
  ): Promise<readonly Ranked[] | undefined>
}

export interface SemanticRankerDeps extends QueryReports {
  readonly db: Db
  readonly embedder: Embedder
}

/** Ranks by the vectors of the model that is ready. For a database that `prepareVectors` has found fit. */
export function createSemanticRanker({ db, embedder, ...reports }: SemanticRankerDeps): SemanticRanker {
  const models = new Cache<EmbeddingModel | undefined>(() => answeringModel(db))
  const queries = new QueryVectors(embedder, reports)
  return {
    async rank(workspaceUuid, partitions, query, depth) {
      if (partitions.length === 0 || query.trim() === '') return undefined
      const model = await models.get('')
      const vector = model && (await queries.vectorOf(model, partitions, query))
      return vector && nearest(db, model, workspaceUuid, partitions, vector, depth)
    },
  }
}
