import type { Tx } from '../../platform/db/database.ts'
import { addDocumentScores, type DocumentsOf } from './document-score.ts'
import { fuse, placesFor, type Ranked } from './fuse.ts'
import { rankLexically } from './lexical.ts'
import type { Partition } from './partition.ts'
import type { SearchText } from './query.ts'
import type { Reranker } from './reranker.ts'
import { nearest, type SemanticQuery } from './semantic/nearest.ts'
import type { SemanticRanker } from './semantic/semantic-ranker.ts'
import { callOf, type LabelledText, withheldBy } from './service-limits.ts'

export type { Ranked }

export interface PreparedQuery extends SearchText {
  readonly semantic?: SemanticQuery | undefined
}

export interface Ranker {
  /** Prepares a query of a viewer who sees these partitions. May call the embedder, so it runs outside of the snapshot of `rank`. */
  prepare(query: SearchText, findPartitions: () => Promise<readonly Partition[]>): Promise<PreparedQuery>
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
  /** The order of the best texts of a search, which the reranker reads; undefined: the order stays. May take its time, so it runs outside of the snapshot. */
  reorder(query: SearchText, passages: readonly LabelledPassage[]): Promise<Order>
}

interface LabelledPassage extends LabelledText {
  readonly text: string
}

/** The places of a text in the order of relevance; undefined: no other order. */
type Order = readonly number[] | undefined

export interface RankerDeps {
  /** Set if a reranker is configured. */
  readonly reranker?: Pick<Reranker, 'order' | 'service'> | undefined
  /** Set if an embedder is configured and the database supports vectors. */
  readonly embedder?: SemanticRanker | undefined
}

/** Weight of the semantic ranking; the lexical ranking has 1. Low enough for a weak embedder (docs/decisions/0012-semantic-search.md). */
const SEMANTIC_WEIGHT = 0.03

/** A question with fewer characters is embedded together with the latest earlier question. */
const SHORT_QUESTION = 40

const meaningOf = ({ text, earlier: [latest] = [] }: SearchText): string =>
  latest !== undefined && text.length < SHORT_QUESTION ? `${latest}\n${text}` : text

/** Ranks lexically, and with an available embedder also semantically. */
export const createRanker = ({ embedder, reranker }: RankerDeps = {}): Ranker => ({
  async prepare(query, findPartitions) {
    if (!embedder) return query
    const withheld = withheldBy(embedder.service.limits, query)
    if (withheld) query.reportCall?.(callOf(embedder.service, { outcome: withheld }))
    return withheld
      ? query
      : { ...query, semantic: await embedder.prepare(meaningOf(query), await findPartitions(), query.reportCall) }
  },
  async rank(snapshot, workspaceUuid, partitions, { semantic: query, ...words }, depth, documentsOf) {
    const places = query || documentsOf ? placesFor(depth) : depth
    const ranked = await rankLexically(snapshot, workspaceUuid, partitions, words, places)
    const ids = ranked.map(({ id }) => id)
    const lexical = documentsOf ? addDocumentScores(ranked, await documentsOf(snapshot, workspaceUuid, ids)) : ranked
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
  async reorder(query, passages) {
    if (!reranker || passages.length < 2) return undefined
    // The order of all of them depends on each text, so one that may not be sent leaves the order as it is.
    const withheld = [query, ...passages].map((text) => withheldBy(reranker.service.limits, text)).find(Boolean)
    if (withheld) return void query.reportCall?.(callOf(reranker.service, { outcome: withheld }))
    const texts = passages.map(({ text }) => text)
    return reranker.order(meaningOf(query), texts, query.reportCall)
  },
})
