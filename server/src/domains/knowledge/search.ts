import type { Db } from '../../platform/db/database.ts'
import { inSnapshot } from '../../platform/db/snapshot.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import type { Viewer } from '../../shared/viewer.ts'
import type { SearchText } from '../retrieval/query.ts'
import type { PreparedQuery, Ranker } from '../retrieval/rank.ts'
import { RERANKED } from '../retrieval/reranker.ts'
import { documentsOf } from './chunk-store.ts'
import type { HitJudge } from './denied-documents.ts'
import { type Check, explainVisibility } from './explain-visibility.ts'
import { isVisible } from './labels.ts'
import { loadPassages, type Passage } from './passages.ts'
import { hiddenPartitions, visiblePartitions } from './visibility.ts'

export type { Passage } from './passages.ts'

export interface KnowledgeQuery extends SearchText {
  /** Names or ids of collections that the Application chose; undefined: every collection that serves it. */
  readonly collections: readonly string[] | undefined
  /** Denies documents by their labels; undefined: no policy does. */
  readonly judge?: HitJudge | undefined
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
  { collections, judge, ...search }: KnowledgeQuery,
): AsyncGenerator<readonly Passage[]> {
  if (search.text.trim() === '') return
  const workspace = uuidOfWorkspace(viewer.workspaceId)
  const choice = { collections, judge }
  const query = await ranker.prepare(search, () => visiblePartitions(db, viewer, choice))
  const rankedIds = new Set<string>()
  const shown = new Set<string>()
  for (let depth = FIRST_DEPTH, hasMore = true; hasMore && depth <= LAST_DEPTH; depth *= 2) {
    const loaded = await inSnapshot(db, async (tx) => {
      const visible = await visiblePartitions(tx, viewer, choice)
      const ranked = visible.length === 0 ? [] : await ranker.rank(tx, workspace, visible, query, depth, documentsOf)
      const fresh = ranked.filter(({ id }) => !rankedIds.has(id))
      hasMore = ranked.length === depth && fresh.length > 0
      for (const { id } of fresh) rankedIds.add(id)
      return fresh.length === 0 ? [] : loadPassages(tx, viewer.workspaceId, visible, fresh)
    })
    const first = loaded
      // The ranking contains no other passages. They would not be shown if it did.
      .filter(({ partition, access }) => isVisible(viewer, partition.labels, access))
      .map(({ passage }) => passage)
      .filter((passage) => isFirstOccurrence(passage, shown))
    if (first.length > 0) yield depth === FIRST_DEPTH ? await reorderBest(ranker, search, first) : first
  }
}

/** The passages with the best ones in the reranker's order, if there is one. */
async function reorderBest(
  ranker: Pick<Ranker, 'reorder'>,
  search: SearchText,
  passages: readonly Passage[],
): Promise<readonly Passage[]> {
  const best = passages.slice(0, RERANKED)
  const texts = best.map(({ title, headings, content, classification }) => ({
    text: [title, ...headings, content].join('\n'),
    classification,
  }))
  const order = await ranker.reorder(search, texts)
  return order ? [...order.flatMap((place) => best[place] ?? []), ...passages.slice(best.length)] : passages
}

/** Whether the document has not shown this text yet. Documents contain duplicates, and overlapping chunks repeat them. */
function isFirstOccurrence({ documentId, content }: Passage, shown: Set<string>): boolean {
  const text = `${documentId} ${content}`
  if (shown.has(text)) return false
  shown.add(text)
  return true
}

export interface ExplainedPassage extends Passage {
  readonly checks: readonly Check[]
}

/** Ranked chunks for each passage shown, because documents contain duplicates. */
const RANKED_PER_PASSAGE = 4

/** A search as a user, for operators: the visible and the hidden passages, each with the rules that decide. */
export async function explainedSearch(
  deps: { readonly db: Db; readonly ranker: Ranker },
  viewer: Viewer,
  { limit, collections, judge, ...search }: KnowledgeQuery & { readonly limit: number },
): Promise<{ readonly visible: readonly ExplainedPassage[]; readonly hidden: readonly ExplainedPassage[] }> {
  const workspace = uuidOfWorkspace(viewer.workspaceId)
  const choice = { collections, judge }
  const partitionsIn = (db: Db, areVisible: boolean) => (areVisible ? visiblePartitions : hiddenPartitions)(db, viewer, choice)
  const queryOf = (areVisible: boolean) => deps.ranker.prepare(search, () => partitionsIn(deps.db, areVisible))
  const queries = [await queryOf(true), await queryOf(false)] as const
  // One snapshot, so that no document is in both lists or in none.
  return inSnapshot(deps.db, async (tx) => {
    const find = async (areVisible: boolean, query: PreparedQuery): Promise<ExplainedPassage[]> => {
      const within = await partitionsIn(tx, areVisible)
      if (within.length === 0) return []
      const ranked = await deps.ranker.rank(tx, workspace, within, query, limit * RANKED_PER_PASSAGE, documentsOf)
      const loaded = await loadPassages(tx, viewer.workspaceId, within, ranked)
      const shown = new Set<string>()
      return loaded
        .filter(({ passage }) => isFirstOccurrence(passage, shown))
        .slice(0, limit)
        .map(({ passage, partition, access }) => ({ ...passage, checks: explainVisibility(viewer, partition.labels, access) }))
    }
    return { visible: await find(true, queries[0]), hidden: await find(false, queries[1]) }
  })
}
