import type { Db } from '../../platform/db/database.ts'
import { type Ranked, WINDOW } from './fuse.ts'

/** Finds the documents that entries of the Workspace belong to, by entry. */
export type DocumentsOf = (db: Db, workspaceUuid: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>

/** Weight of a document's score; an entry's own score has 1 (docs/decisions/0011-lexical-search.md, Documents). */
const DOCUMENT_WEIGHT = 0.4

/**
 * Adds the score of its document to the score of each entry: the best score of the document's ranked entries. Entries change places within
 * windows only, so that a greater depth only appends results; ties are ordered by id.
 */
export function addDocumentScores(ranked: readonly Ranked[], documents: ReadonlyMap<string, string>): readonly Ranked[] {
  const best = new Map<string, number>()
  for (const { id, similarity } of ranked) {
    const document = documents.get(id) ?? id
    best.set(document, Math.max(best.get(document) ?? 0, similarity))
  }
  const scored = ranked.map(({ id, similarity }) => {
    const ofDocument = best.get(documents.get(id) ?? id) ?? 0
    return { id, similarity: (similarity + DOCUMENT_WEIGHT * ofDocument) / (1 + DOCUMENT_WEIGHT) }
  })
  const sorted: Ranked[] = []
  for (let start = 0; start < scored.length; start += WINDOW) {
    const window = scored.slice(start, start + WINDOW)
    sorted.push(...window.sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1)))
  }
  return sorted
}
