import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { findCompounds } from './compound-matches.ts'
import type { Ranked } from './fuse.ts'
import { findSimilar } from './fuzzy.ts'
import type { Partition } from './partition.ts'
import { blockOf } from './posting.ts'
import { PostingSource } from './posting-source.ts'
import { parseQuery, type QueryWord, type SearchText } from './query.ts'
import { readScope } from './scope.ts'
import { type Candidate, Scoreboard, splitBest, termWeight } from './scoreboard.ts'

/** A word, the number of entries that contain it, and the maximum that it adds to a score. */
interface WeightedWord {
  readonly word: QueryWord
  readonly matches: number
  readonly weight: number
}

/** Limits of the postings that are read. */
interface Bounds {
  /** All postings are read at once if they cannot be more than this (entries × words). */
  readonly eager: number
  /** Postings of the rarest words that are read completely. More frequent words only rescore the best candidates. */
  readonly whole: number
  readonly rescored: number
}
const BOUNDS: Bounds = { eager: 2_000_000, whole: 300_000, rescored: 1_000 }

/**
 * Ranks by words: BM25 with the statistics of these partitions only. `similarity` is the score divided by the maximum score of the
 * query. The ranking is exact while the postings of all words are within `bounds`; otherwise the rarest words select the candidates.
 * `db`: a snapshot, because the statements of a ranking must fit together.
 */
export async function rankLexically(
  db: Db,
  workspaceUuid: string,
  partitions: readonly Partition[],
  query: SearchText,
  depth: number,
  bounds: Bounds = BOUNDS,
): Promise<readonly Ranked[]> {
  const scope = await readScope(db, workspaceUuid, partitions)
  const words = parseQuery(query, [...new Set(scope.languages.values())])
  if (scope.entries === 0 || words.length === 0) return []
  const source = new PostingSource(db, scope, bounds.eager)
  const addWeights = async (queryWords: readonly QueryWord[]): Promise<WeightedWord[]> =>
    (await source.count(queryWords)).map((matches, index) => {
      const word = queryWords[index] as QueryWord
      return { word, matches, weight: word.weight * termWeight(matches, scope.entries) }
    })

  const queryWords = await addWeights(words)
  const similar = await findSimilar(
    db,
    scope,
    queryWords.filter(({ matches, word }) => matches === 0 && !word.isExact).map(({ word }) => word),
  )
  const similarWords = similar.length > 0 ? await addWeights(similar) : []
  const weighted = [...queryWords, ...similarWords].filter(({ matches }) => matches > 0)
  const maxScore = queryWords.reduce((sum, { weight }) => sum + weight, 0)

  const ranked: Ranked[] = []
  for await (const tier of rankTiers(source, weighted, scope.averageLength, bounds)) {
    const previous = ranked.at(-1)?.similarity ?? 1
    const remaining = depth - ranked.length
    for (const { id, score } of await loadIds(db, tier(remaining), remaining)) {
      ranked.push({ id, similarity: Math.min(previous, score / maxScore) })
    }
    if (ranked.length >= depth) break
  }
  if (!query.inAnyLanguage || ranked.length >= depth) return ranked
  return [...ranked, ...(await rankCompounds(db, await findCompounds(source, scope, query.text, bounds.whole), ranked, depth))]
}

/** Low enough that a fresh memory with the parts of a compound stays below an old one with the compound (memory/recall.ts). */
const COMPOUND_SIMILARITY = 0.5

/** The best of the candidates that are not ranked yet. */
async function rankCompounds(
  db: Db,
  candidates: readonly Candidate[],
  ranked: readonly Ranked[],
  depth: number,
): Promise<readonly Ranked[]> {
  const [best] = splitBest(candidates, depth)
  const known = new Set(ranked.map(({ id }) => id))
  const highest = COMPOUND_SIMILARITY * (ranked.at(-1)?.similarity ?? 1)
  return (await loadIds(db, best, best.length))
    .filter(({ id }) => !known.has(id))
    .slice(0, depth - ranked.length)
    .map(({ id, score }) => ({ id, similarity: highest * score }))
}

/** Returns the best `count` candidates of a group, and those with the same score as the last of them. */
type Tier = (count: number) => readonly Candidate[]

/** Yields groups of candidates, best group first. The groups do not depend on the requested depth. */
async function* rankTiers(
  source: PostingSource,
  weighted: readonly WeightedWord[],
  averageLength: number,
  { whole, rescored }: Bounds,
): AsyncGenerator<Tier> {
  const earlier: Scoreboard[] = []
  for (const [group, rest] of groupByFrequency(weighted, whole)) {
    const board = new Scoreboard()
    const rows = await source.postings(group.map(({ word }) => word))
    for (const [index, { weight }] of group.entries()) board.add(rows[index] ?? [], weight, averageLength)
    const isNew = (partition: number, number: number) => !earlier.some((other) => other.has(partition, number))
    if (rest.length === 0) yield (count) => board.best(count, isNew)
    else {
      const [best, others] = splitBest(board.best(Number.POSITIVE_INFINITY, isNew), rescored)
      const candidates = await rescore(source, best, rest, averageLength)
      yield (count) => splitBest(candidates, count)[0]
      yield (count) => splitBest(others, count)[0]
    }
    earlier.push(board)
  }
}

/** Groups the words, rarest first, so that all postings of a group may be read. Each group comes with the words after it. */
function groupByFrequency(weighted: readonly WeightedWord[], whole: number): [group: WeightedWord[], rest: WeightedWord[]][] {
  const rarest = weighted.toSorted((a, b) => a.matches - b.matches || (textOf(a) < textOf(b) ? -1 : 1))
  const groups: [WeightedWord[], WeightedWord[]][] = []
  for (let start = 0; start < rarest.length; ) {
    let end = start + 1
    for (let sum = rarest[start]?.matches ?? 0; end < rarest.length; end++) {
      sum += rarest[end]?.matches ?? 0
      if (sum > whole) break
    }
    groups.push([rarest.slice(start, end), rarest.slice(end)])
    start = end
  }
  return groups
}

const textOf = ({ word }: WeightedWord): string => [...word.terms].join(' ')

async function rescore(
  source: PostingSource,
  candidates: readonly Candidate[],
  rest: readonly WeightedWord[],
  averageLength: number,
): Promise<Candidate[]> {
  const places = candidates.map(({ partition, number }) => ({ partition, block: blockOf(number) }))
  const distinct = [...new Map(places.map((place) => [`${place.partition}/${place.block}`, place])).values()]
  const rows = await source.postingsIn(
    distinct,
    rest.map(({ word }) => word),
  )
  const board = new Scoreboard()
  for (const [index, { weight }] of rest.entries()) board.add(rows[index] ?? [], weight, averageLength)
  return candidates.map((candidate) => ({
    ...candidate,
    score: candidate.score + board.scoreOf(candidate.partition, candidate.number),
  }))
}

/** Loads the ids of the candidates and returns the best `count`, ordered by score, then by id. */
async function loadIds(db: Db, best: readonly Candidate[], count: number): Promise<{ id: string; score: number }[]> {
  if (best.length === 0) return []
  const [partitions, numbers] = [best.map(({ partition }) => partition), best.map(({ number }) => number)]
  const { rows } = await sql<{ place: number; id: string }>`
    select place, id
    from unnest(${partitions}::bigint[], ${numbers}::bigint[]) with ordinality as best (partition_id, number, place)
    join retrieval_entry using (partition_id, number)`.execute(db)
  return rows
    .map(({ place, id }) => ({ id, score: best[place - 1]?.score ?? 0 }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, count)
}
