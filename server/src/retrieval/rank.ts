import type pg from 'pg'
import type { Db } from '../db/database.ts'
import { fuse, placesFor } from './fuse.ts'
import { rankLexically } from './lexical.ts'
import type { Partition } from './partition.ts'
import type { Ranked } from './ranked.ts'
import type { SemanticRanker } from './semantic/semantic-ranker.ts'

export type { Ranked }

export interface Ranker {
  /**
   * The entries of these partitions that fit `query`, the best first, up to `depth`; ties by id. Nothing that lies in other
   * partitions has any influence. A greater depth goes on where a smaller one ended.
   */
  rank(workspaceUuid: string, partitions: readonly Partition[], query: string, depth: number): Promise<readonly Ranked[]>
}

export interface RankerDeps {
  readonly db: Db
  readonly pool: pg.Pool
  /** Where an embedder is configured, and the database can keep vectors. */
  readonly embedder?: SemanticRanker | undefined
}

/** How much a ranking by meaning counts beside the words' 1: as much as a weak embedder may (docs/decisions/0012-semantic-search.md). */
export const MEANING_WEIGHT = 0.03

/** Ranks by the words; with an embedder by the meaning too, for as long as it answers. */
export const createRanker = ({ pool, embedder }: RankerDeps): Ranker => ({
  async rank(workspaceUuid, partitions, query, depth) {
    if (!embedder) return rankLexically(pool, workspaceUuid, partitions, query, depth)
    const places = placesFor(depth)
    const [words, meaning] = await Promise.all([
      rankLexically(pool, workspaceUuid, partitions, query, places),
      embedder.rank(workspaceUuid, partitions, query, places),
    ])
    if (!meaning) return words.slice(0, depth)
    return fuse(
      [
        { hits: words, weight: 1 },
        { hits: meaning, weight: MEANING_WEIGHT },
      ],
      depth,
    )
  },
})
