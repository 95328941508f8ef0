import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { elapsed } from '../server/src/lib/clock.ts'
import { newUuid } from '../server/src/lib/id.ts'
import { createRanker } from '../server/src/retrieval/rank.ts'
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
 * How good and how fast the search by words is: `scripts/run node bench/retrieval.ts [--data FOLDER] [--postgres URL] [--skip-embedded]
 * [--write]`, see README.md. Exits with 1 when a bar is missed.
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

/** What plain BM25 reaches on each. */
const BARS = { cacm: 0.508, npl: 0.439, anthropic_docs: 0.735 }
const PARTITIONS = 200
const SHARES = { '1 %': 2, '10 %, clustered': 20, '100 %': PARTITIONS }
const QUERIES = 100
const P95_MS = { embedded: 90, postgresql: 30 }
const HIDDEN_ENTRIES = 1_000

let missed = false
/** `figure`, marked when it is on the wrong side of the bar. */
function held(figure: number, ok: boolean, digits: number): string {
  if (!ok) missed = true
  return ok ? figure.toFixed(digits) : `**${figure.toFixed(digits)}**`
}

const sorted = (times: readonly number[]): number[] => times.toSorted((a, b) => a - b)

const mean = (figures: readonly number[]): number => figures.reduce((sum, figure) => sum + figure, 0) / figures.length

async function timed<T>(work: () => Promise<T>): Promise<[result: T, ms: number]> {
  const started = elapsed()
  return [await work(), elapsed() - started]
}

/** The development collections, each in a partition of its own. */
async function quality(rig: SearchRig, folder: string): Promise<string> {
  const ranker = createRanker(rig.database)
  const rows: string[][] = []
  for (const [name, bar] of Object.entries(BARS)) {
    const { documents, queries } = readCollection(folder, name)
    const ids = new Map(documents.map((document) => [newUuid(), document]))
    const entries = [...ids].map(([id, { title, text }]) => ({ id, title, text }))
    const [partition, loaded] = await timed(() => rig.fill(name, 'en', entries))
    const measured: { ms: number; gain: number; recall: number }[] = []
    for (const { text, relevant } of queries) {
      const [ranked, ms] = await timed(() => ranker.rank(rig.workspace, [partition], text, 10))
      const found = ranked.map(({ id }) => ids.get(id)?.id ?? '')
      measured.push({ ms, gain: nDcg(found, relevant), recall: recallAt(found, relevant) })
    }
    const times = sorted(measured.map(({ ms }) => ms))
    const gain = mean(measured.map((one) => one.gain))
    rows.push([
      `\`${name}\``,
      `${documents.length} / ${queries.length}`,
      bar.toFixed(3),
      held(gain, gain >= bar, 3),
      mean(measured.map(({ recall }) => recall)).toFixed(3),
      quantile(times, 0.5).toFixed(1),
      quantile(times, 0.95).toFixed(1),
      (loaded / 1_000).toFixed(1),
    ])
  }
  const heads = ['', 'documents / queries', 'nDCG@10 to reach', 'nDCG@10', 'recall@10', 'p50 ms', 'p95 ms', 'loading s']
  return table(`Quality, ${rig.database.kind}`, heads, rows)
}

/** Terms of one chunk that is visible, so that most queries have a good answer. */
function queriesFor(chunks: readonly ZipfChunk[], seed: number): number[][] {
  const random = seeded(seed)
  return Array.from({ length: QUERIES }, () => {
    const { terms } = pick(random, chunks)
    return [...new Set(Array.from({ length: between(random, 2, 8) }, () => pick(random, [...terms])))]
  })
}

/** Many chunks in many partitions, of which a caller may see some. */
async function filtered(rig: SearchRig, count: number): Promise<string> {
  const ranker = createRanker(rig.database)
  const chunks = zipfChunks(count, PARTITIONS)
  const places = new Map<string, number>()
  const entries = chunks.map(({ terms }, place) => {
    const id = newUuid()
    places.set(id, place)
    return { id, title: '', text: Array.from(terms, wordOf).join(' ') }
  })
  const perPartition = count / PARTITIONS
  const [partitions, loading] = await timed(() =>
    Array.fromAsync({ length: PARTITIONS }, (_, at) =>
      rig.fill(`made up ${at}`, 'none', entries.slice(at * perPartition, (at + 1) * perPartition)),
    ),
  )
  const { pool } = rig.database
  await pool.query('vacuum analyze')
  const { rows: sizes } = await pool.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class where relname in ('retrieval_entry', 'retrieval_posting')`,
  )

  const bar = P95_MS[rig.database.kind]
  const slower = await slownessNow()
  const rows: string[][] = []
  const answers = async (visible: number, queries: readonly number[][]) => {
    const seen = partitions.slice(0, visible)
    const rank = (query: readonly number[]) => timed(() => ranker.rank(rig.workspace, seen, query.map(wordOf).join(' '), 10))
    for (const query of queries.slice(0, 10)) await rank(query)
    return Array.fromAsync(queries, rank)
  }
  for (const [name, visible] of Object.entries(SHARES)) {
    const seen = chunks.slice(0, visible * perPartition)
    const queries = queriesFor(seen, visible)
    const ranked = await answers(visible, queries)
    const recalls = ranked.map(([found], at) =>
      recallOf(
        exactScores(seen, queries[at] ?? []),
        found.map(({ id }) => places.get(id) ?? -1),
        10,
      ),
    )
    const times = sorted(ranked.map(([, ms]) => ms))
    const [p95, recall] = [quantile(times, 0.95), mean(recalls)]
    const there = p95 / slower
    const here = [quantile(times, 0.5).toFixed(1), p95.toFixed(1)]
    rows.push([name, ...here, held(there, there <= bar, 1), held(recall, recall >= 0.95, 3)])
  }

  const queries = queriesFor(chunks.slice(0, 2 * perPartition), 1)
  const before = await answers(2, queries)
  const hidden = entries.slice(0, HIDDEN_ENTRIES).map(({ text }) => ({ id: newUuid(), title: '', text }))
  await rig.fill(`made up ${PARTITIONS - 1}`, 'none', hidden)
  const after = await answers(2, queries)
  const same = JSON.stringify(before.map(([found]) => found)) === JSON.stringify(after.map(([found]) => found))
  if (!same) missed = true
  const middle = (ranked: readonly (readonly [unknown, number])[]): string =>
    quantile(sorted(ranked.map(([, ms]) => ms)), 0.5).toFixed(2)
  const title = `${count.toLocaleString('en')} chunks in ${PARTITIONS} partitions, ${rig.database.kind}`
  return [
    table(title, ['visible', 'p50 ms', 'p95 ms', `there (bar ${bar})`, 'recall@10 (bar 0.95)'], rows),
    '',
    `Loaded in ${(loading / 1_000).toFixed(0)} s, ${Math.round(Number(sizes[0]?.bytes ?? 0) / 2 ** 20)} MiB with indexes. With ${HIDDEN_ENTRIES.toLocaleString('en')}`,
    `entries more in a partition that is not visible: p50 ${middle(after)} ms instead of ${middle(before)} ms, answers ${same ? 'the same byte for byte' : '**different**'}. This machine: ${slower.toFixed(1)} times slower than the bars’.`,
  ].join('\n')
}

const texts: string[] = []
const embedded = values['skip-embedded'] ? [] : [undefined]
for (const url of [...embedded, ...(values.postgres === undefined ? [] : [values.postgres])]) {
  const rig = await startSearchRig(url)
  try {
    if (values.data !== undefined && existsSync(values.data)) texts.push(await quality(rig, values.data))
    texts.push(await filtered(rig, Number(values.chunks)))
  } finally {
    await rig[Symbol.asyncDispose]()
  }
  console.log(texts.slice(-2).join('\n\n'))
}
if (values.data === undefined)
  console.error('Without --data, the folder of the development collections, quality is not measured.')
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'retrieval', `\n${texts.join('\n\n')}\n`)
if (missed) process.exitCode = 1
