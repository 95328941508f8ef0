import { parseArgs } from 'node:util'
import { elapsed } from '../server/src/lib/clock.ts'
import { newUuid } from '../server/src/lib/id.ts'
import { guardedConnector } from '../server/src/lib/url-guard.ts'
import { fuse, placesFor } from '../server/src/retrieval/fuse.ts'
import { createRanker, type Ranked, SEMANTIC_WEIGHT } from '../server/src/retrieval/rank.ts'
import { EmbeddingProgress, embedMissing } from '../server/src/retrieval/semantic/embed-missing.ts'
import { Embedder } from '../server/src/retrieval/semantic/embedder.ts'
import { prepareVectors } from '../server/src/retrieval/semantic/prepare-vectors.ts'
import { createSemanticRanker } from '../server/src/retrieval/semantic/semantic-ranker.ts'
import { table } from './detectors/score.ts'
import { nDcg, readCollection } from './support/collection.ts'
import { DIMENSIONS, startEmbeddingServer } from './support/embedding-server.ts'
import { scoped } from './support/scoped.ts'
import { type SearchRig, startSearchRig } from './support/search-rig.ts'
import { writeBetweenMarks } from './support/table.ts'

/**
 * What fusion with a weak embedder does to the search by words, at several weights:
 * `scripts/run node bench/embeddings.ts --data FOLDER [--postgres URL] [--write]`, see README.md. Exits with 1 when it harms.
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
const loud = (why: string): void => console.error(why)

interface Measured {
  readonly words: number
  readonly meaning: number
  readonly fused: number
  readonly byWeight: readonly number[]
}

async function measure(rig: SearchRig, url: string, name: string): Promise<Measured> {
  const { db } = rig.database
  const { documents, queries } = readCollection(folder, name)
  const known = new Map(documents.map((document) => [newUuid(), document]))
  const textOf = (id: string): string => `${known.get(id)?.title ?? ''}\n${known.get(id)?.text ?? ''}`
  const partition = await rig.fill(
    name,
    'en',
    [...known].map(([id, { title, text }]) => ({ id, title, text })),
  )

  const settings = { url, apiKey: undefined, model: { name: 'hashed n-grams', dimensions: DIMENSIONS } }
  const embedder = new Embedder(settings, { connect: guardedConnector(true, 1_000), now: () => 0, random: () => 0 })
  const support = await prepareVectors(db, loud)
  if (!support) throw new Error('vectors are what is measured')
  const loadTexts = async (_: unknown, ids: readonly string[]) => new Map(ids.map((id) => [id, textOf(id)]))
  const textsOf = { knowledge: loadTexts, memory: loadTexts }
  const started = elapsed()
  const deps = { db, embedder, support, textsOf, progress: new EmbeddingProgress(), onProblem: loud }
  const count = await embedMissing(deps, { maxBatches: Number.POSITIVE_INFINITY })
  console.error(`${name}: ${count} entries embedded in ${((elapsed() - started) / 1_000).toFixed(0)} s`)

  const semantic = createSemanticRanker({ db, embedder, onFallback: loud, onProblem: loud })
  const byWords = createRanker(rig.database)
  const both = createRanker({ ...rig.database, embedder: semantic })
  const rankings: { words: readonly Ranked[]; meaning: readonly Ranked[]; fused: readonly Ranked[] }[] = []
  for (const { text } of queries) {
    const asked = [rig.workspace, [partition], text] as const
    rankings.push({
      words: await byWords.rank(...asked, placesFor(DEPTH)),
      meaning: (await semantic.rank(...asked, placesFor(DEPTH))) ?? [],
      fused: await both.rank(...asked, DEPTH),
    })
  }
  await embedder.close()
  const gain = (pick: (ranking: (typeof rankings)[number]) => readonly Ranked[]): number =>
    mean(
      queries.map(({ relevant }, at) => {
        const ranking = rankings[at]
        return ranking
          ? nDcg(
              pick(ranking).map(({ id }) => known.get(id)?.id ?? ''),
              relevant,
            )
          : 0
      }),
    )
  return {
    words: gain(({ words }) => words),
    meaning: gain(({ meaning }) => meaning),
    fused: gain(({ fused }) => fused),
    byWeight: WEIGHTS.map((weight) =>
      gain(({ words, meaning }) =>
        fuse(
          [
            { hits: words, weight: 1 },
            { hits: meaning, weight },
          ],
          DEPTH,
        ),
      ),
    ),
  }
}

const rows: string[][] = []
const kind = await scoped(async (stack) => {
  const server = stack.use(await startEmbeddingServer())
  const rig = stack.use(await startSearchRig(values.postgres))
  for (const name of COLLECTIONS) {
    const { words, meaning, fused, byWeight } = await measure(rig, server.url, name)
    const shown = (figure: number): string => figure.toFixed(3)
    if (fused < words) process.exitCode = 1
    const verdict = fused < words ? `**${shown(fused)}**` : shown(fused)
    rows.push([`\`${name}\``, shown(words), shown(meaning), verdict, ...byWeight.map(shown)])
  }
  return rig.database.kind
})
const heads = ['nDCG@10', 'words', 'hashed n-grams', `fused, ${SEMANTIC_WEIGHT}`, ...WEIGHTS.map((weight) => `at ${weight}`)]
const text = table(`Fusion with a weak embedder, ${kind}`, heads, rows)
console.log(text)
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'embeddings', `\n${text}\n`)
