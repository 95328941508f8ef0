import type { Db } from '../../db/database.ts'
import { Cache } from '../../lib/cache.ts'
import type { Partition } from '../partition.ts'
import type { Ranked } from '../ranked.ts'
import type { Embedder } from './embedder.ts'
import { type EmbeddingModel, findReadyModel } from './model-store.ts'
import { nearest } from './nearest.ts'
import { type QueryReports, QueryVectors } from './query-vectors.ts'

export interface SemanticRanker {
  /** Like `Ranker.rank`, by meaning. Returns undefined if no model is ready or the embedder fails. */
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

/** Ranks by the vectors of the ready model. Requires a database that `prepareVectors` has prepared. */
export function createSemanticRanker({ db, embedder, ...reports }: SemanticRankerDeps): SemanticRanker {
  const models = new Cache<EmbeddingModel | undefined>(() => findReadyModel(db), { maxEntries: 1 })
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
