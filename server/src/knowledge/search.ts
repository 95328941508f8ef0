import type { Db } from '../db/database.ts'
import { uuidOfWorkspace } from '../db/values.ts'
import type { Viewer } from '../domain/viewer.ts'
import type { Ranker } from '../retrieval/rank.ts'
import { loadPassages, type Passage } from './passages.ts'
import { visiblePartitions } from './visibility.ts'

export type { Passage } from './passages.ts'

export interface KnowledgeQuery {
  readonly text: string
  /** Names or ids that the Application chose; undefined: all that serve it. */
  readonly collections: readonly string[] | undefined
}

/** How many are ranked first; each time they do not suffice, twice as many, up to the last. A page holds 50 at most. */
const FIRST_DEPTH = 64
/** Far beyond what one search judges, because chunks that repeat each other are skipped before they are judged. */
const LAST_DEPTH = 8_192
/** How many are loaded at once. */
const BATCH = 64

/**
 * What someone may see that fits the query, the best first, in batches: the caller stops when its page is full. It ends when
 * nothing visible is left, or after the LAST_DEPTH best. What the viewer may not see has no influence: it is never ranked, counted
 * or loaded.
 */
export async function* searchKnowledge(
  { db, ranker }: { readonly db: Db; readonly ranker: Ranker },
  viewer: Viewer,
  { text, collections }: KnowledgeQuery,
): AsyncGenerator<readonly Passage[]> {
  if (text.trim() === '') return
  const visible = await visiblePartitions(db, viewer, collections)
  if (visible.length === 0) return
  const workspace = uuidOfWorkspace(viewer.workspaceId)
  const seen = new Set<string>()
  const shown = new Set<string>()
  for (let depth = FIRST_DEPTH, isLeft = true; isLeft && depth <= LAST_DEPTH; depth *= 2) {
    const ranked = await ranker.rank(workspace, visible, text, depth)
    const fresh = ranked.filter(({ id }) => !seen.has(id))
    isLeft = ranked.length === depth && fresh.length > 0
    for (let from = 0; from < fresh.length; from += BATCH) {
      const batch = fresh.slice(from, from + BATCH)
      for (const { id } of batch) seen.add(id)
      const passages = await loadPassages(db, viewer.workspaceId, visible, batch)
      // Replaced since they were ranked: what has taken their place is found when ranked again.
      isLeft ||= passages.length < batch.length
      const first = passages.filter((passage) => isFirst(passage, shown))
      if (first.length > 0) yield first
    }
  }
}

/** Documents repeat themselves, and overlapping chunks repeat them. */
export function isFirst({ documentId, content }: Passage, shown: Set<string>): boolean {
  const text = `${documentId} ${content}`
  if (shown.has(text)) return false
  shown.add(text)
  return true
}
