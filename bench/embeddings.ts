import { parseArgs } from 'node:util'
import { elapsed } from '../server/src/lib/clock.ts'
import { newUuid } from '../server/src/lib/id.ts'
import { guardedConnector } from '../server/src/lib/url-guard.ts'
import { fuse, placesFor } from '../server/src/retrieval/fuse.ts'
import type { Partition } from '../server/src/retrieval/partition.ts'
import { createRanker, type Ranked, SEMANTIC_WEIGHT } from '../server/src/retrieval/rank.ts'
import { EmbeddingProgress, embedMissing } from '../server/src/retrieval/semantic/embed-missing.ts'
import { Embedder } from '../server/src/retrieval/semantic/embedder.ts'
import { prepareVectors } from '../server/src/retrieval/semantic/prepare-vectors.ts'
import { createSemanticRanker } from '../server/src/retrieval/semantic/semantic-ranker.ts'
import { rankByMeaning, rankOnce } from '../server/test/support/rank-once.ts'
import { table } from './detectors/score.ts'
import { nDcg, readCollection } from './support/collection.ts'
import { DIMENSIONS, startEmbeddingServer } from './support/embedding-server.ts'
import { scoped } from './support/scoped.ts'
import { type SearchRig, startSearchRig } from './support/search-rig.ts'
import { writeBetweenMarks } from './support/table.ts'

/**
 * Measures how fusion with a weak embedder changes the search by words, at several weights:
 * `scripts/run node bench/embeddings.ts --data FOLDER [--postgres URL] [--write]`, see README.md. Exits with 1 if fusion is worse.
 */
const { values } = parseArgs({
  options: { data: { type: 'string' }, postgres: { type: 'string' }, write: { type: 'boolean', default: false } },
})
if (values.data === undefined) throw new Error('--data names the folder of the development collections')
const folder = values.data

const COLLECTIONS = ['cacm', 'npl', 'anthropic_docs']
const WEIGHTS = [0.01, 0.02, 0.03, 0.05, 0.1, 0.3, 1]
const DEPTH = 10

const mean = (figures: readonly number[]): number => figures.reduce((sum, figure) => sum + figure, 0) / figures.length
const logToStderr = (message: string): void => console.error(message)

/** Mean nDCG@10 over the queries of a collection. */
interface Gains {
  readonly words: number
  readonly meaning: number
  readonly fused: number
  readonly byWeight: readonly number[]
}

/** Hits of one query. */
interface Rankings {
  readonly words: readonly Ranked[]
  readonly meaning: readonly Ranked[]
  readonly fused: readonly Ranked[]
}

async function measure(rig: SearchRig, url: string, name: string): Promise<Gains> {
  const { documents, queries } = readCollection(folder, name)
  const documentsById = new Map(documents.map((document) => [newUuid(), document]))
  const entries = [...documentsById].map(([id, { title, text }]) => ({ id, title, text }))
  const partition = await rig.fill(name, 'en', entries)
  const settings = { url, apiKey: undefined, model: { name: 'hashed n-grams', dimensions: DIMENSIONS } }
  const embedder = new Embedder(settings, { connect: guardedConnector(true, 1_000), now: () => 0, random: () => 0 })
  await embedEntries(rig, embedder, name, new Map(entries.map(({ id, title, text }) => [id, `${title}\n${text}`])))
  const rankings: Rankings[] = []
  for (const { text } of queries) rankings.push(await rankQuery(rig, embedder, partition, text))
  await embedder.close()
  const gain = (pick: (rankings: Rankings) => readonly Ranked[]): number =>
    mean(
      rankings.map((ranking, index) => {
        const found = pick(ranking).map(({ id }) => documentsById.get(id)?.id ?? '')
        return nDcg(found, queries[index]?.relevant ?? new Map())
      }),
    )
  return {
    words: gain(({ words }) => words),
    meaning: gain(({ meaning }) => meaning),
    fused: gain(({ fused }) => fused),
    byWeight: WEIGHTS.map((weight) => gain((rankings) => fuseAt(weight, rankings))),
  }
}

async function embedEntries(rig: SearchRig, embedder: Embedder, name: string, texts: ReadonlyMap<string, string>): Promise<void> {
  const { db } = rig.database
  const support = await prepareVectors(db, logToStderr)
  if (!support) throw new Error('the database does not support vectors')
  const loadTexts = async (_: unknown, ids: readonly string[]) => new Map(ids.map((id) => [id, texts.get(id) ?? '']))
  const textsOf = { knowledge: loadTexts, memory: loadTexts }
  const started = elapsed()
  const deps = { db, sessionDb: db, embedder, support, textsOf, progress: new EmbeddingProgress(), onProblem: logToStderr }
  const count = await embedMissing(deps, { maxBatches: Number.POSITIVE_INFINITY })
  console.error(`${name}: ${count} entries embedded in ${((elapsed() - started) / 1_000).toFixed(0)} s`)
}

async function rankQuery(
  { database, workspace }: SearchRig,
  embedder: Embedder,
  partition: Partition,
  text: string,
): Promise<Rankings> {
  const semantic = createSemanticRanker({ db: database.db, embedder, onFallback: logToStderr, onProblem: logToStderr })
  const query = [workspace, [partition], text] as const
  return {
    words: await rankOnce(database.db, createRanker(), ...query, placesFor(DEPTH)),
    meaning: (await rankByMeaning(database.db, semantic, ...query, placesFor(DEPTH))) ?? [],
    fused: await rankOnce(database.db, createRanker({ embedder: semantic }), ...query, DEPTH),
  }
}

const fuseAt = (weight: number, { words, meaning }: Rankings): readonly Ranked[] =>
  fuse(
    [
      { hits: words, weight: 1 },
      { hits: meaning, weight },
    ],
    DEPTH,
  )

const rows: string[][] = []
const kind = await scoped(async (stack) => {
  const server = stack.use(await startEmbeddingServer())
  const rig = stack.use(await startSearchRig(values.postgres))
  for (const name of COLLECTIONS) {
    const { words, meaning, fused, byWeight } = await measure(rig, server.url, name)
    const format = (figure: number): string => figure.toFixed(3)
    if (fused < words) process.exitCode = 1
    const fusedCell = fused < words ? `**${format(fused)}**` : format(fused)
    rows.push([`\`${name}\``, format(words), format(meaning), fusedCell, ...byWeight.map(format)])
  }
  return rig.database.kind
})
const heads = ['nDCG@10', 'words', 'hashed n-grams', `fused, ${SEMANTIC_WEIGHT}`, ...WEIGHTS.map((weight) => `at ${weight}`)]
const text = table(`Fusion with a weak embedder, ${kind}`, heads, rows)
console.log(text)
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'embeddings', `\n${text}\n`)
