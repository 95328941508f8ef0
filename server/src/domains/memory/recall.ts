import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { fromRow } from '../../platform/db/from-row.ts'
import { inSnapshot } from '../../platform/db/snapshot.ts'
import { uuidOf } from '../../platform/db/values.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { MemoryKind, MemoryScope } from '../../shared/memory-words.ts'
import { upTo, type Viewer } from '../../shared/viewer.ts'
import type { SearchText } from '../retrieval/query.ts'
import type { Ranked, Ranker } from '../retrieval/rank.ts'
import { type MemoryJudge, withoutDenied } from './denied-memories.ts'
import { expiryOf, type Memory, unexpiredMemoriesOf } from './memory-row.ts'
import { visibleOwners } from './owner.ts'
import { findMemoryPartitions } from './owner-store.ts'

/** A memory that the viewer may see. */
export interface RecalledMemory
  extends Pick<
    Memory,
    'id' | 'scope' | 'scopeId' | 'kind' | 'content' | 'summary' | 'classification' | 'regulations' | 'createdAt' | 'expiresAt'
  > {
  /** 0 to 1, of the texts only; the order also depends on freshness and kind (scoreOf). */
  readonly similarity: number
}

/** Memories ranked first. The depth doubles while the consumer asks for more, up to LAST_DEPTH. */
const FIRST_DEPTH = 64
const LAST_DEPTH = 1_024

interface MemoryQuery extends SearchText {
  readonly scopes?: readonly MemoryScope[]
  /** Denies memories by their labels; undefined: no policy does. */
  readonly judge?: MemoryJudge | undefined
}

/**
 * Yields memories that match `text`, best first, in batches, from the LAST_DEPTH best matches: those of visible owners, within the
 * viewer's clearance, active, not superseded and not expired by the clock. Other memories have no influence on the results.
 */
export async function* recallMemories(
  { db, ranker, clock }: { readonly db: Db; readonly ranker: Ranker; readonly clock: Clock },
  viewer: Viewer,
  { scopes, judge, ...search }: MemoryQuery,
): AsyncGenerator<readonly RecalledMemory[]> {
  const now = clock.now()
  const owners = visibleOwners(viewer).filter(({ scope }) => scopes?.includes(scope) ?? true)
  const partitionsIn = async (reader: Db) => {
    const visible = await findMemoryPartitions(reader, owners, upTo(viewer.ceiling))
    return judge ? withoutDenied(reader, viewer.workspaceId, visible, judge) : visible
  }
  const prepared = await ranker.prepare({ ...search, inAnyLanguage: true }, () => partitionsIn(db))
  const seen = new Set<string>()
  let pending: Scored[] = []
  for (let depth = FIRST_DEPTH; ; depth *= 2) {
    let relevance = 1
    let isLast = true
    // One snapshot, so that a memory that is replaced during the recall is found in its old or its new version.
    const loaded = await inSnapshot(db, async (tx) => {
      const visible = await partitionsIn(tx)
      if (visible.length === 0) return []
      const ranked = await ranker.rank(tx, uuidOf('ws', viewer.workspaceId), visible, prepared, depth)
      isLast = ranked.length < depth || depth >= LAST_DEPTH
      // The ranker's order decides, even where similarities are not in descending order.
      const fresh = ranked.flatMap(({ id, similarity }) => {
        relevance = Math.min(relevance, similarity)
        if (seen.has(id)) return []
        seen.add(id)
        return { id, similarity, relevance }
      })
      return load(tx, viewer, visible, fresh, now)
    })
    for (const scored of loaded) pending.push(scored)
    // Lower-ranked memories cannot score more than the current relevance.
    const bound = isLast ? 0 : relevance
    const ready = pending.filter(({ score }) => score >= bound).toSorted(byScore)
    pending = pending.filter(({ score }) => score < bound)
    if (ready.length > 0) yield ready.map(({ memory }) => memory)
    if (isLast) return
  }
}

type Scored = { readonly memory: RecalledMemory; readonly score: number }

const byScore = (a: Scored, b: Scored): number =>
  b.score - a.score || b.memory.similarity - a.memory.similarity || (a.memory.id < b.memory.id ? -1 : 1)

/** Loads the matches. The query checks every visibility condition again on the memories themselves. */
async function load(
  db: Db,
  { workspaceId, ceiling }: Viewer,
  visible: readonly { readonly id: number; readonly ownerId: string }[],
  matches: readonly (Ranked & { readonly relevance: number })[],
  now: Date,
): Promise<Scored[]> {
  if (matches.length === 0) return []
  const partitionIds = visible.map(({ id }) => id)
  const rows = await unexpiredMemoriesOf(db, uuidOf('ws', workspaceId), now)
    .clearSelect()
    .select(['item.id', 'scope', 'scope_id', 'kind', 'content', 'summary'])
    .select(['classification', 'regulations', 'created_at', 'expires_at'])
    .where('item.owner_id', 'in', [...new Set(visible.map(({ ownerId }) => ownerId))])
    .where('item.partition_id', 'in', partitionIds)
    .where(sql<boolean>`item.id = any(${matches.map(({ id }) => id)}::uuid[])`)
    .where('item.classification', 'in', upTo(ceiling))
    .where('item.mode', '=', 'active')
    .where('item.superseded_at', 'is', null)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return matches.flatMap(({ id, similarity, relevance }) => {
    const row = byId.get(id)
    if (!row) return []
    const memory = { ...fromRow(row, { id: 'mem' }), expiresAt: expiryOf(row), similarity }
    return { memory, score: scoreOf(relevance, memory, now) }
  })
}

const DAY = 86_400_000

/** `halfLife`: days until the freshness has half its value. */
const KINDS: Readonly<Record<MemoryKind, { readonly weight: number; readonly halfLife: number }>> = {
  preference: { weight: 1, halfLife: 365 },
  decision: { weight: 1, halfLife: 365 },
  fact: { weight: 0.95, halfLife: 180 },
  summary: { weight: 0.9, halfLife: 30 },
  workflow_state: { weight: 0.95, halfLife: 7 },
}

/** The share of the score that an old memory can lose. */
const FRESHNESS = 0.3

/** relevance × kind × (0.7 + 0.3 × 2^(−age ÷ half-life)). Never more than `relevance`. */
export function scoreOf(relevance: number, { kind, createdAt }: { kind: MemoryKind; createdAt: Date }, now: Date): number {
  const { weight, halfLife } = KINDS[kind]
  const days = Math.max(0, now.getTime() - createdAt.getTime()) / DAY
  return relevance * weight * (1 - FRESHNESS + FRESHNESS * 2 ** (-days / halfLife))
}
