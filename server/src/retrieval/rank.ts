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
   * The matching entries of these partitions, best first, up to `depth`; ties are ordered by id. Entries of other partitions have no
   * influence. A greater depth only appends results.
   */
  rank(workspaceUuid: string, partitions: readonly Partition[], query: string, depth: number): Promise<readonly Ranked[]>
}

export interface RankerDeps {
  readonly db: Db
  readonly pool: pg.Pool
  /** Set if an embedder is configured and the database supports vectors. */
  readonly embedder?: SemanticRanker | undefined
}

/** Weight of the semantic ranking; the lexical ranking has 1. Low enough for a weak embedder (docs/decisions/0012-semantic-search.md). */
export const SEMANTIC_WEIGHT = 0.03

/** Ranks lexically, and with an available embedder also semantically. */
export const createRanker = ({ pool, embedder }: RankerDeps): Ranker => ({
  async rank(workspaceUuid, partitions, query, depth) {
    if (!embedder) return rankLexically(pool, workspaceUuid, partitions, query, depth)
    const places = placesFor(depth)
    const [lexical, semantic] = await Promise.all([
      rankLexically(pool, workspaceUuid, partitions, query, places),
      embedder.rank(workspaceUuid, partitions, query, places),
    ])
    if (!semantic) return lexical.slice(0, depth)
    return fuse(
      [
        { hits: lexical, weight: 1 },
        { hits: semantic, weight: SEMANTIC_WEIGHT },
      ],
      depth,
    )
  },
})
