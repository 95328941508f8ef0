import type { DocumentsOf } from '../../src/domains/retrieval/document-score.ts'
import type { Partition } from '../../src/domains/retrieval/partition.ts'
import type { Ranked, Ranker } from '../../src/domains/retrieval/rank.ts'
import { nearest } from '../../src/domains/retrieval/semantic/nearest.ts'
import type { SemanticRanker } from '../../src/domains/retrieval/semantic/semantic-ranker.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { inSnapshot } from '../../src/platform/db/snapshot.ts'

type Search = readonly [
  workspaceUuid: string,
  partitions: readonly Partition[],
  text: string,
  depth: number,
  documentsOf?: DocumentsOf,
]

/** Ranks in a snapshot, without loading the entries. */
export async function rankOnce(
  db: Db,
  ranker: Ranker,
  ...[workspace, partitions, text, depth, documentsOf]: Search
): Promise<readonly Ranked[]> {
  const query = await ranker.prepare({ text }, async () => partitions)
  return inSnapshot(db, (tx) => ranker.rank(tx, workspace, partitions, query, depth, documentsOf))
}

/** Ranks by meaning alone; undefined if the query cannot be embedded. */
export async function rankByMeaning(db: Db, semantic: SemanticRanker, ...[workspace, partitions, text, depth]: Search) {
  const query = await semantic.prepare(text, partitions)
  return query && inSnapshot(db, (tx) => nearest(tx, query, workspace, partitions, depth))
}
