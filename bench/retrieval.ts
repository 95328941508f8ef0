import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Entry } from '../server/src/domains/retrieval/entries.ts'
import type { Partition } from '../server/src/domains/retrieval/partition.ts'
import { createRanker, type Ranked } from '../server/src/domains/retrieval/rank.ts'
import { elapsed } from '../server/src/platform/lib/clock.ts'
import { newUuid } from '../server/src/platform/lib/id.ts'
import { rankOnce } from '../server/test/support/rank-once.ts'
import { table } from './detectors/score.ts'
import { nDcg, readCollection, recallAt } from './support/collection.ts'
import { exactScores, recallOf } from './support/exact-bm25.ts'
import { between, pick, seeded } from './support/random.ts'
import { slownessNow } from './support/reference.ts'
import { type SearchRig, startSearchRig } from './support/search-rig.ts'
import { quantile } from './support/statistics.ts'
import { writeBetweenMarks } from './support/table.ts'
import { wordOf, type ZipfChunk, zipfChunks } from './support/zipf-chunks.ts'

/**
 * Measures quality and speed of the search by words: `scripts/run node bench/retrieval.ts [--data FOLDER] [--postgres URL]
 * [--skip-embedded] [--write]`, see README.md. Exits with 1 when a bar is missed.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    postgres: { type: 'string' },
    chunks: { type: 'string', default: '100000' },
    'skip-embedded': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})

/** nDCG@10 of plain BM25 for each collection. */
const BARS = { cacm: 0.508, npl: 0.439, anthropic_docs: 0.735 }
const PARTITIONS = 200
const SHARES = { '1 %': 2, '10 %, clustered': 20, '100 %': PARTITIONS }
const QUERIES = 100
const P95_MS = { embedded: 90, postgresql: 30 }
const HIDDEN_ENTRIES = 1_000

let missed = false
/** Formats a figure, in bold type if it misses its bar. */
function formatWithBar(figure: number, ok: boolean, digits: number): string {
  if (!ok) missed = true
  return ok ? figure.toFixed(digits) : `**${figure.toFixed(digits)}**`
}

const sorted = (times: readonly number[]): number[] => times.toSorted((a, b) => a - b)

const mean = (figures: readonly number[]): number => figures.reduce((sum, figure) => sum + figure, 0) / figures.length

async function timed<T>(work: () => Promise<T>): Promise<[result: T, ms: number]> {
  const started = elapsed()
  return [await work(), elapsed() - started]
}

/** Measures quality on the development collections, each in its own partition. */
async function measureQuality(rig: SearchRig, folder: string): Promise<string[][]> {
  const ranker = createRanker()
  const rows: string[][] = []
  for (const [name, bar] of Object.entries(BARS)) {
    const { documents, queries } = readCollection(folder, name)
    const ids = new Map(documents.map((document) => [newUuid(), document]))
    const entries = [...ids].map(([id, { title, text }]) => ({ id, title, text }))
    // Sections of a page are entries of one document.
    const pages = new Map([...ids].map(([id, document]) => [id, document.id.split('#')[0] ?? '']))
    const [partition, loaded] = await timed(() => rig.fill(name, 'en', entries))
    const measured: { ms: number; gain: number; recall: number }[] = []
    for (const { text, relevant } of queries) {
      const [ranked, ms] = await timed(() =>
        rankOnce(rig.database.db, ranker, rig.workspace, [partition], text, 10, async () => pages),
      )
      const found = ranked.map(({ id }) => ids.get(id)?.id ?? '')
      measured.push({ ms, gain: nDcg(found, relevant), recall: recallAt(found, relevant) })
    }
    const times = sorted(measured.map(({ ms }) => ms))
    const gain = mean(measured.map(({ gain }) => gain))
    rows.push([
      `\`${name}\`: ${documents.length} documents, ${queries.length} queries`,
      rig.database.kind,
      `${formatWithBar(gain, gain >= bar, 3)} (bar ${bar.toFixed(3)})`,
      mean(measured.map(({ recall }) => recall)).toFixed(3),
      quantile(times, 0.5).toFixed(1),
      quantile(times, 0.95).toFixed(1),
      (loaded / 1_000).toFixed(1),
    ])
  }
  return rows
}

/** Queries with terms of one visible chunk each, so that most queries have a good hit. */
function queriesFor(chunks: readonly ZipfChunk[], seed: number): number[][] {
  const random = seeded(seed)
  return Array.from({ length: QUERIES }, () => {
    const { terms } = pick(random, chunks)
    return [...new Set(Array.from({ length: between(random, 2, 8) }, () => pick(random, [...terms])))]
  })
}

interface LoadedChunks {
  readonly chunks: readonly ZipfChunk[]
  readonly entries: readonly Entry[]
  /** Index of a chunk by the id of its entry. */
  readonly indexes: ReadonlyMap<string, number>
  readonly partitions: readonly Partition[]
  readonly perPartition: number
  readonly seconds: number
  readonly mebibytes: number
}

async function loadChunks(rig: SearchRig, count: number): Promise<LoadedChunks> {
  const chunks = zipfChunks(count, PARTITIONS)
  const indexes = new Map<string, number>()
  const entries = chunks.map(({ terms }, index) => {
    const id = newUuid()
    indexes.set(id, index)
    return { id, title: '', text: Array.from(terms, wordOf).join(' ') }
  })
  const perPartition = count / PARTITIONS
  const [partitions, ms] = await timed(() =>
    Array.fromAsync({ length: PARTITIONS }, (_, at) =>
      rig.fill(`made up ${at}`, 'none', entries.slice(at * perPartition, (at + 1) * perPartition)),
    ),
  )
  const { pool } = rig.database
  await pool.query('vacuum analyze')
  const { rows } = await pool.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class where relname in ('retrieval_entry', 'retrieval_list')`,
  )
  const mebibytes = Number(rows[0]?.bytes ?? 0) / 2 ** 20
  return { chunks, entries, indexes, partitions, perPartition, seconds: ms / 1_000, mebibytes }
}

type RunQueries = (visible: number, queries: readonly number[][]) => Promise<(readonly [hits: readonly Ranked[], ms: number])[]>

/** Returns a function that runs queries on the first `visible` partitions, after a warm-up. */
function queryRunner(rig: SearchRig, partitions: readonly Partition[]): RunQueries {
  const ranker = createRanker()
  return async (visible, queries) => {
    const visiblePartitions = partitions.slice(0, visible)
    const rank = (query: readonly number[]) =>
      timed(() => rankOnce(rig.database.db, ranker, rig.workspace, visiblePartitions, query.map(wordOf).join(' '), 10))
    for (const query of queries.slice(0, 10)) await rank(query)
    return Array.fromAsync(queries, rank)
  }
}

/** One row for each share of visible partitions. */
async function measureShares(
  loaded: LoadedChunks,
  runQueries: RunQueries,
  kind: keyof typeof P95_MS,
  slower: number,
): Promise<string[][]> {
  const rows: string[][] = []
  for (const [name, visible] of Object.entries(SHARES)) {
    const visibleChunks = loaded.chunks.slice(0, visible * loaded.perPartition)
    const queries = queriesFor(visibleChunks, visible)
    const ranked = await runQueries(visible, queries)
    const recalls = ranked.map(([hits], index) =>
      recallOf(
        exactScores(visibleChunks, queries[index] ?? []),
        hits.map(({ id }) => loaded.indexes.get(id) ?? -1),
        10,
      ),
    )
    const times = sorted(ranked.map(([, ms]) => ms))
    const [p95, recall] = [quantile(times, 0.95), mean(recalls)]
    const corrected = p95 / slower
    const bar = P95_MS[kind]
    const there = `${formatWithBar(corrected, corrected <= bar, 1)} (bar ${bar})`
    rows.push([name, kind, quantile(times, 0.5).toFixed(1), p95.toFixed(1), there, formatWithBar(recall, recall >= 0.95, 3)])
  }
  return rows
}

/** Adds entries to a partition that is not visible, and compares time and hits before and after. */
async function measureHiddenEntries(rig: SearchRig, loaded: LoadedChunks, runQueries: RunQueries): Promise<string> {
  const queries = queriesFor(loaded.chunks.slice(0, 2 * loaded.perPartition), 1)
  const before = await runQueries(2, queries)
  const hidden = loaded.entries.slice(0, HIDDEN_ENTRIES).map(({ text }) => ({ id: newUuid(), title: '', text }))
  await rig.fill(`made up ${PARTITIONS - 1}`, 'none', hidden)
  const after = await runQueries(2, queries)
  const same = JSON.stringify(before.map(([hits]) => hits)) === JSON.stringify(after.map(([hits]) => hits))
  if (!same) missed = true
  const median = (ranked: typeof before): string => quantile(sorted(ranked.map(([, ms]) => ms)), 0.5).toFixed(2)
  return `With ${HIDDEN_ENTRIES.toLocaleString('en')} further entries in a partition that is not visible: p50 ${median(after)} ms instead of ${median(before)} ms, ${same ? 'equal results' : '**different results**'}.`
}

/** Measures queries on many chunks in many partitions, of which a user may see some. */
async function measureSpeed(rig: SearchRig, count: number): Promise<{ rows: string[][]; note: string }> {
  const loaded = await loadChunks(rig, count)
  const runQueries = queryRunner(rig, loaded.partitions)
  const { kind } = rig.database
  const slower = await slownessNow()
  const rows = await measureShares(loaded, runQueries, kind, slower)
  const hiddenText = await measureHiddenEntries(rig, loaded, runQueries)
  const note = `${kind}: loaded in ${loaded.seconds.toFixed(0)} s, ${Math.round(loaded.mebibytes)} MiB with indexes. ${hiddenText} This machine is ${slower.toFixed(1)} times slower than the one of the bars.`
  return { rows, note }
}

const QUALITY_HEADINGS = ['quality', 'database', 'nDCG@10', 'recall@10', 'p50 ms', 'p95 ms', 'loading s']
const SPEED_HEADINGS = ['visible', 'database', 'p50 ms', 'p95 ms', 'p95 ms there', 'recall@10 (bar 0.95)']
const quality: string[][] = []
const speed: string[][] = []
const notes: string[] = []
const count = Number(values.chunks)
const embedded = values['skip-embedded'] ? [] : [undefined]
for (const url of [...embedded, ...(values.postgres === undefined ? [] : [values.postgres])]) {
  const rig = await startSearchRig(url)
  try {
    if (values.data !== undefined && existsSync(values.data)) quality.push(...(await measureQuality(rig, values.data)))
    const { rows, note } = await measureSpeed(rig, count)
    speed.push(...rows)
    notes.push(note)
  } finally {
    await rig[Symbol.asyncDispose]()
  }
}
const text = [
  table('Quality', QUALITY_HEADINGS, quality),
  table(`${count.toLocaleString('en')} chunks in ${PARTITIONS} partitions`, SPEED_HEADINGS, speed),
  notes.join('\n'),
].join('\n\n')
console.log(text)
if (values.data === undefined)
  console.error('Without --data, the folder of the development collections, quality is not measured.')
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'retrieval', `\n${text}\n`)
if (missed) process.exitCode = 1
