import type { Tx } from '../../platform/db/database.ts'
import { addDocumentScores, type DocumentsOf } from './document-score.ts'
import { fuse, placesFor, type Ranked } from './fuse.ts'
import { rankLexically } from './lexical.ts'
import type { Partition } from './partition.ts'
import { nearest, type SemanticQuery } from './semantic/nearest.ts'
import type { SemanticRanker } from './semantic/semantic-ranker.ts'

export type { Ranked }

export interface PreparedQuery {
  readonly text: string
  readonly semantic?: SemanticQuery | undefined
}

export interface Ranker {
  /** Prepares a query of a viewer who sees these partitions. May call the embedder, so it runs outside of the snapshot of `rank`. */
  prepare(text: string, findPartitions: () => Promise<readonly Partition[]>): Promise<PreparedQuery>
  /**
   * The matching entries of these partitions, best first, up to `depth`; ties are ordered by id. Entries of other partitions have no
   * influence. A greater depth only appends results. `snapshot`: the transaction of `inSnapshot` that also loads the entries. With
   * `documentsOf`, the score of its document counts for each entry.
   */
  rank(
    snapshot: Tx,
    workspaceUuid: string,
    partitions: readonly Partition[],
    query: PreparedQuery,
    depth: number,
    documentsOf?: DocumentsOf,
  ): Promise<readonly Ranked[]>
}

export interface RankerDeps {
  /** Set if an embedder is configured and the database supports vectors. */
  readonly embedder?: SemanticRanker | undefined
}

/** Weight of the semantic ranking; the lexical ranking has 1. Low enough for a weak embedder (docs/decisions/0012-semantic-search.md). */
const SEMANTIC_WEIGHT = 0.03

/** Ranks lexically, and with an available embedder also semantically. */
export const createRanker = ({ embedder }: RankerDeps = {}): Ranker => ({
  async prepare(text, findPartitions) {
    return embedder ? { text, semantic: await embedder.prepare(text, await findPartitions()) } : { text }
  },
  async rank(snapshot, workspaceUuid, partitions, { text, semantic: query }, depth, documentsOf) {
    const places = query || documentsOf ? placesFor(depth) : depth
    const words = await rankLexically(snapshot, workspaceUuid, partitions, text, places)
    const ids = words.map(({ id }) => id)
    const lexical = documentsOf ? addDocumentScores(words, await documentsOf(snapshot, workspaceUuid, ids)) : words
    if (!query) return lexical.slice(0, depth)
    const semantic = await nearest(snapshot, query, workspaceUuid, partitions, places)
    return fuse(
      [
        { hits: lexical, weight: 1 },
        { hits: semantic, weight: SEMANTIC_WEIGHT },
      ],
      depth,
    )
  },
})
