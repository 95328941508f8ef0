import type pg from 'pg'
import { weightOf } from './bm25.ts'
import { findSimilar } from './fuzzy.ts'
import type { Partition } from './partition.ts'
import { PostingSource } from './posting-source.ts'
import { BLOCK_ENTRIES } from './postings.ts'
import { type QueryWord, readQuery } from './query.ts'
import type { Ranked } from './ranked.ts'
import { readScope } from './scope.ts'
import { type Candidate, Scoreboard, splitBest } from './scoreboard.ts'

/** A word with what it can add to a score. */
interface Weighed {
  readonly word: QueryWord
  readonly found: number
  readonly weight: number
}

/** How much is read at most. */
interface Bounds {
  /** Up to this many postings, should every entry have every word, all are read at once. */
  readonly eager: number
  /** Postings that are read whole before the words that are left, more frequent than these, only tell apart the best so far. */
  readonly whole: number
  /** So many are told apart. */
  readonly toldApart: number
}
const BOUNDS: Bounds = { eager: 2_000_000, whole: 300_000, toldApart: 1_000 }

/**
 * The ranking by words: BM25 with the statistics of these partitions alone. `similarity` is the score as a share of the most that the
 * query could score. Exact as long as the postings of all words are not too many to read; beyond, the rarest words find the candidates.
 */
export async function rankLexically(
  pool: pg.Pool,
  workspaceUuid: string,
  partitions: readonly Partition[],
  query: string,
  depth: number,
  bounds: Bounds = BOUNDS,
): Promise<readonly Ranked[]> {
  const scope = await readScope(pool, workspaceUuid, partitions)
  const words = readQuery(query, [...new Set(scope.languages.values())])
  if (scope.entries === 0 || words.length === 0) return []
  const source = new PostingSource(pool, scope, bounds.eager)
  const weigh = async (some: readonly QueryWord[]): Promise<Weighed[]> =>
    (await source.count(some)).map((found, at) => {
      const word = some[at] as QueryWord
      return { word, found, weight: word.weight * weightOf(found, scope.entries) }
    })

  const asked = await weigh(words)
  const similar = await findSimilar(
    pool,
    scope,
    asked.filter(({ found }) => found === 0).map(({ word }) => word),
  )
  const weighed = [...asked, ...(similar.length > 0 ? await weigh(similar) : [])].filter(({ found }) => found > 0)
  const most = asked.reduce((sum, { weight }) => sum + weight, 0)

  const ranked: Ranked[] = []
  for await (const tier of tiers(source, weighed, scope.averageLength, bounds)) {
    const ceiling = ranked.at(-1)?.similarity ?? 1
    const wanted = depth - ranked.length
    for (const { id, score } of await named(pool, tier(wanted), wanted)) {
      ranked.push({ id, similarity: Math.min(ceiling, score / most) })
    }
    if (ranked.length >= depth) break
  }
  return ranked
}

/** The best of a group, so many and whoever has the same score as the last of these. */
type Tier = (count: number) => readonly Candidate[]

/** The candidates, in groups of which each comes before the next. No group depends on how many are wanted. */
async function* tiers(
  source: PostingSource,
  weighed: readonly Weighed[],
  averageLength: number,
  { whole, toldApart }: Bounds,
): AsyncGenerator<Tier> {
  const earlier: Scoreboard[] = []
  for (const [group, rest] of groupsOf(weighed, whole)) {
    const board = new Scoreboard()
    const rows = await source.postings(group.map(({ word }) => word))
    for (const [at, { weight }] of group.entries()) board.add(rows[at] ?? [], weight, averageLength)
    const isFresh = (partition: number, number: number) => !earlier.some((one) => one.has(partition, number))
    if (rest.length === 0) yield (count) => board.best(count, isFresh)
    else {
      const [best, others] = splitBest(board.best(Number.POSITIVE_INFINITY, isFresh), toldApart)
      const apart = await tellApart(source, best, rest, averageLength)
      yield (count) => splitBest(apart, count)[0]
      yield (count) => splitBest(others, count)[0]
    }
    earlier.push(board)
  }
}

/** The words, the rarest first, in groups whose postings may all be read; with each group the words that come after it. */
function groupsOf(weighed: readonly Weighed[], whole: number): [group: Weighed[], rest: Weighed[]][] {
  const rarest = weighed.toSorted((a, b) => a.found - b.found || (textOf(a) < textOf(b) ? -1 : 1))
  const groups: [Weighed[], Weighed[]][] = []
  for (let start = 0; start < rarest.length; ) {
    let end = start + 1
    for (let sum = rarest[start]?.found ?? 0; end < rarest.length; end++) {
      sum += rarest[end]?.found ?? 0
      if (sum > whole) break
    }
    groups.push([rarest.slice(start, end), rarest.slice(end)])
    start = end
  }
  return groups
}

const textOf = ({ word }: Weighed): string => [...word.terms].join(' ')

/** `best` with what the words of `rest` add to them. */
async function tellApart(
  source: PostingSource,
  best: readonly Candidate[],
  rest: readonly Weighed[],
  averageLength: number,
): Promise<Candidate[]> {
  const places = best.map(({ partition, number }) => ({ partition, block: Math.floor(number / BLOCK_ENTRIES) }))
  const distinct = [...new Map(places.map((place) => [`${place.partition}/${place.block}`, place])).values()]
  const rows = await source.postingsIn(
    distinct,
    rest.map(({ word }) => word),
  )
  const board = new Scoreboard()
  for (const [at, { weight }] of rest.entries()) board.add(rows[at] ?? [], weight, averageLength)
  return best.map((one) => ({ ...one, score: one.score + board.scoreOf(one.partition, one.number) }))
}

/** The best `count` by score, then by id. */
async function named(pool: pg.Pool, best: readonly Candidate[], count: number): Promise<{ id: string; score: number }[]> {
  if (best.length === 0) return []
  const { rows } = await pool.query<[place: number, id: string]>({
    rowMode: 'array',
    text: `select place, id from unnest($1::bigint[], $2::bigint[]) with ordinality as best (partition_id, number, place)
      join retrieval_entry using (partition_id, number)`,
    values: [best.map(({ partition }) => partition), best.map(({ number }) => number)],
  })
  return rows
    .map(([place, id]) => ({ id, score: best[place - 1]?.score ?? 0 }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, count)
}
