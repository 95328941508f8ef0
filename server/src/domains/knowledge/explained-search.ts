import type { Db } from '../../platform/db/database.ts'
import { inSnapshot } from '../../platform/db/snapshot.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import type { Viewer } from '../../shared/viewer.ts'
import type { PreparedQuery, Ranker } from '../retrieval/rank.ts'
import { type Check, explainVisibility } from './explain-visibility.ts'
import { isVisible } from './labels.ts'
import { loadPassages } from './passages.ts'
import { isFirstOccurrence, type KnowledgeQuery, type Passage } from './search.ts'
import { type LabelledPartition, labelledPartitions } from './visibility.ts'

export interface ExplainedPassage extends Passage {
  readonly checks: readonly Check[]
}

interface ExplainedSearch {
  /** The passages that `searchKnowledge` finds for the viewer, best first. */
  readonly visible: readonly ExplainedPassage[]
  /** Matching passages that the viewer may not see. */
  readonly hidden: readonly ExplainedPassage[]
}

/** Ranked chunks for each passage shown, because documents contain duplicates. */
const RANKED_PER_PASSAGE = 4

/** A search as a user, for operators: the visible and the hidden passages, each with the rules that decide. */
export async function explainedSearch(
  deps: { readonly db: Db; readonly ranker: Ranker },
  viewer: Viewer,
  { text, collections, limit }: KnowledgeQuery & { readonly limit: number },
): Promise<ExplainedSearch> {
  const workspace = uuidOfWorkspace(viewer.workspaceId)
  const partitionsIn = async (db: Db, isShown: boolean): Promise<readonly LabelledPartition[]> =>
    (await labelledPartitions(db, viewer.workspaceId, collections)).filter(
      ({ labels, access }) => isVisible(viewer, labels, access) === isShown,
    )
  const queryOf = (isShown: boolean) => deps.ranker.prepare(text, () => partitionsIn(deps.db, isShown))
  const queries = [await queryOf(true), await queryOf(false)] as const
  // One snapshot, so that no document is in both lists or in none.
  const [visible, hidden] = await inSnapshot(deps.db, async (tx) => {
    const search = async (isShown: boolean, query: PreparedQuery): Promise<ExplainedPassage[]> => {
      const within = await partitionsIn(tx, isShown)
      if (within.length === 0) return []
      const ranked = await deps.ranker.rank(tx, workspace, within, query, limit * RANKED_PER_PASSAGE)
      const loaded = await loadPassages(tx, viewer.workspaceId, within, ranked)
      const shown = new Set<string>()
      return loaded
        .filter(({ passage }) => isFirstOccurrence(passage, shown))
        .slice(0, limit)
        .map(({ passage, partition }) => ({ ...passage, checks: explainVisibility(viewer, partition.labels, partition.access) }))
    }
    return [await search(true, queries[0]), await search(false, queries[1])]
  })
  return { visible, hidden }
}
