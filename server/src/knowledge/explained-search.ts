import type { Db } from '../db/database.ts'
import { uuidOfWorkspace } from '../db/values.ts'
import type { Viewer } from '../domain/viewer.ts'
import type { Ranker } from '../retrieval/rank.ts'
import { isVisible } from './labels.ts'
import { loadPlacedPassages } from './passages.ts'
import { isFirst, type KnowledgeQuery, type Passage } from './search.ts'
import { type LabelledPartition, labelledPartitions } from './visibility.ts'
import { type Check, whyVisible } from './why-visible.ts'

export interface ExplainedPassage extends Passage {
  readonly checks: readonly Check[]
}

interface Explained {
  /** What the viewer finds, the best first, as `searchKnowledge` finds it. */
  readonly visible: readonly ExplainedPassage[]
  /** What would fit as well, and is kept from them. */
  readonly hidden: readonly ExplainedPassage[]
}

/** As many are ranked for each that is shown: documents repeat themselves. */
const SPARE = 4

/** A search for operators: what someone would find, what they would not, and for each the rules that decide it. */
export async function explainedSearch(
  deps: { readonly db: Db; readonly ranker: Ranker },
  viewer: Viewer,
  { text, collections, limit }: KnowledgeQuery & { readonly limit: number },
): Promise<Explained> {
  const workspace = uuidOfWorkspace(viewer.workspaceId)
  const partitions = await labelledPartitions(deps.db, viewer.workspaceId, collections)
  const found = async (within: readonly LabelledPartition[]): Promise<ExplainedPassage[]> => {
    if (within.length === 0) return []
    const ranked = await deps.ranker.rank(workspace, within, text, limit * SPARE)
    const placed = await loadPlacedPassages(deps.db, viewer.workspaceId, within, ranked)
    const shown = new Set<string>()
    return placed
      .filter(({ passage }) => isFirst(passage, shown))
      .slice(0, limit)
      .map(({ passage, partition }) => ({ ...passage, checks: whyVisible(viewer, partition.labels, partition.access) }))
  }
  const sees = ({ labels, access }: LabelledPartition): boolean => isVisible(viewer, labels, access)
  const [visible, hidden] = await Promise.all([
    found(partitions.filter(sees)),
    found(partitions.filter((partition) => !sees(partition))),
  ])
  return { visible, hidden }
}
