import type { Db } from '../db/database.ts'
import { uuidOfWorkspace } from '../db/values.ts'
import type { Viewer } from '../domain/viewer.ts'
import type { Ranker } from '../retrieval/rank.ts'
import { type Check, explainVisibility } from './explain-visibility.ts'
import { isVisible } from './labels.ts'
import { loadPassagesWithPartition } from './passages.ts'
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
  const partitions = await labelledPartitions(deps.db, viewer.workspaceId, collections)
  const search = async (within: readonly LabelledPartition[]): Promise<ExplainedPassage[]> => {
    if (within.length === 0) return []
    const ranked = await deps.ranker.rank(workspace, within, text, limit * RANKED_PER_PASSAGE)
    const loaded = await loadPassagesWithPartition(deps.db, viewer.workspaceId, within, ranked)
    const shown = new Set<string>()
    return loaded
      .filter(({ passage }) => isFirstOccurrence(passage, shown))
      .slice(0, limit)
      .map(({ passage, partition }) => ({ ...passage, checks: explainVisibility(viewer, partition.labels, partition.access) }))
  }
  const isVisibleToViewer = ({ labels, access }: LabelledPartition): boolean => isVisible(viewer, labels, access)
  const [visible, hidden] = await Promise.all([
    search(partitions.filter(isVisibleToViewer)),
    search(partitions.filter((partition) => !isVisibleToViewer(partition))),
  ])
  return { visible, hidden }
}
