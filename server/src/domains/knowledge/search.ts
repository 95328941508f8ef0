import type { Db } from '../../platform/db/database.ts'
import { inSnapshot } from '../../platform/db/snapshot.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import type { Viewer } from '../../shared/viewer.ts'
import type { Ranker } from '../retrieval/rank.ts'
import { loadPassages, type Passage } from './passages.ts'
import { visiblePartitions } from './visibility.ts'

export type { Passage } from './passages.ts'

export interface KnowledgeQuery {
  readonly text: string
  /** Names or ids of collections that the Application chose; undefined: every collection that serves it. */
  readonly collections: readonly string[] | undefined
}

/** Chunks ranked first. The depth doubles until the page is full (50 hits at most) or LAST_DEPTH is reached. */
const FIRST_DEPTH = 64
/** Far more than policies evaluate in one search, because duplicates are skipped before that. */
const LAST_DEPTH = 8_192

/**
 * Yields the matching passages that the viewer may see, best first, in batches; the consumer stops when its page is full. Ends when
 * no visible passage is left, or after the LAST_DEPTH best. Passages that the viewer may not see have no influence: they are never
 * ranked, counted or loaded. A document that is replaced during a search is found in its old or its new version, because a batch is ranked
 * and loaded in one snapshot.
 */
export async function* searchKnowledge(
  { db, ranker }: { readonly db: Db; readonly ranker: Ranker },
  viewer: Viewer,
  { text, collections }: KnowledgeQuery,
): AsyncGenerator<readonly Passage[]> {
  if (text.trim() === '') return
  const workspace = uuidOfWorkspace(viewer.workspaceId)
  const query = await ranker.prepare(text, () => visiblePartitions(db, viewer, collections))
  const rankedIds = new Set<string>()
  const shown = new Set<string>()
  for (let depth = FIRST_DEPTH, hasMore = true; hasMore && depth <= LAST_DEPTH; depth *= 2) {
    const loaded = await inSnapshot(db, async (tx) => {
      const visible = await visiblePartitions(tx, viewer, collections)
      const ranked = visible.length === 0 ? [] : await ranker.rank(tx, workspace, visible, query, depth)
      const fresh = ranked.filter(({ id }) => !rankedIds.has(id))
      hasMore = ranked.length === depth && fresh.length > 0
      for (const { id } of fresh) rankedIds.add(id)
      return fresh.length === 0 ? [] : loadPassages(tx, viewer.workspaceId, visible, fresh)
    })
    const first = loaded.map(({ passage }) => passage).filter((passage) => isFirstOccurrence(passage, shown))
    if (first.length > 0) yield first
  }
}

/** Whether the document has not shown this text yet. Documents contain duplicates, and overlapping chunks repeat them. */
export function isFirstOccurrence({ documentId, content }: Passage, shown: Set<string>): boolean {
  const text = `${documentId} ${content}`
  if (shown.has(text)) return false
  shown.add(text)
  return true
}
