import type pg from 'pg'
import { addScores, weightOf } from './bm25.ts'
import { type Language, termOf } from './language.ts'
import type { Partition } from './partition.ts'
import { BLOCK_ENTRIES, POSTING_BYTES } from './postings.ts'
import type { Ranked } from './rank.ts'
import { splitWords } from './words.ts'

/** The ranking by words: BM25 over the postings of these partitions. */
export async function rankLexically(
  pool: pg.Pool,
  workspaceUuid: string,
  partitions: readonly Partition[],
  query: string,
  depth: number,
): Promise<readonly Ranked[]> {
  const { rows: visible } = await pool.query<[id: number, language: Language, entries: number, length: number]>({
    rowMode: 'array',
    text: `select id, language, entries, total_length from retrieval_partition
      where workspace_id = $1 and id = any($2::bigint[]) and entries > 0 order by id`,
    values: [workspaceUuid, partitions.map(({ id }) => id)],
  })
  const entries = visible.reduce((sum, [, , count]) => sum + count, 0)
  const averageLength = visible.reduce((sum, [, , , length]) => sum + length, 0) / entries || 1
  const languages = new Map(visible.map(([id, language]) => [id, language]))
  const words = [...new Set(splitWords(query))]
  const termsOfLanguage = new Map<Language, Map<string, number[]>>()
  for (const language of new Set(languages.values())) {
    const terms = words.map((word) => termOf(word, language))
    const silent = terms.every(({ stop }) => stop)
    const places = new Map<string, number[]>()
    terms.forEach(({ text, stop }, place) => {
      if (!stop || silent) places.set(text, [...(places.get(text) ?? []), place])
    })
    termsOfLanguage.set(language, places)
  }
  const { rows } = await pool.query<[partition: number, term: string, block: number, postings: Buffer]>({
    rowMode: 'array',
    text: `select partition_id, term, block, postings from retrieval_posting
      where partition_id = any($1::bigint[]) and term = any($2::text[])`,
    values: [visible.map(([id]) => id), [...new Set([...termsOfLanguage.values()].flatMap((terms) => [...terms.keys()]))]],
  })
  const found = words.map(() => ({ entries: 0, rows: [] as [string, Buffer][] }))
  for (const [partition, term, block, postings] of rows) {
    for (const place of termsOfLanguage.get(languages.get(partition) ?? 'none')?.get(term) ?? []) {
      const word = found[place]
      if (!word) continue
      word.entries += postings.length / POSTING_BYTES
      word.rows.push([`${partition} ${block}`, postings])
    }
  }
  const scores = new Map<string, Float64Array>()
  let most = 0
  for (const word of found) {
    const weight = weightOf(word.entries, entries)
    most += weight
    for (const [key, postings] of word.rows) {
      const block = scores.get(key) ?? new Float64Array(BLOCK_ENTRIES)
      scores.set(key, block)
      addScores(block, postings, weight, averageLength)
    }
  }
  const candidates: { partition: number; number: number; score: number }[] = []
  for (const [key, block] of scores) {
    const [partition = 0, number = 0] = key.split(' ').map(Number)
    block.forEach((score, place) => {
      if (score > 0) candidates.push({ partition, number: number * BLOCK_ENTRIES + place, score })
    })
  }
  const least = candidates.map(({ score }) => score).sort((a, b) => b - a)[Math.min(depth, candidates.length) - 1] ?? 0
  const best = candidates.filter(({ score }) => score >= least)
  const { rows: ids } = await pool.query<[place: number, id: string]>({
    rowMode: 'array',
    text: `select place, id from unnest($1::bigint[], $2::bigint[]) with ordinality as best (partition_id, number, place)
      join retrieval_entry using (partition_id, number)`,
    values: [best.map(({ partition }) => partition), best.map(({ number }) => number)],
  })
  return ids
    .map(([place, id]) => ({ id, similarity: (best[place - 1]?.score ?? 0) / most }))
    .sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1))
    .slice(0, depth)
}
