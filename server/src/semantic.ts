import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import type { Secrets } from './config/secrets.ts'
import type { Database } from './db/database.ts'
import type { Job } from './jobs/jobs.ts'
import { loadChunkTexts } from './knowledge/passages.ts'
import type { Clock } from './lib/clock.ts'
import { guardedConnector } from './lib/url-guard.ts'
import { loadMemoryTexts } from './memory/texts.ts'
import { EmbeddingProgress, embedMissing } from './retrieval/semantic/embed-missing.ts'
import { Embedder } from './retrieval/semantic/embedder.ts'
import { prepareVectors } from './retrieval/semantic/prepare-vectors.ts'
import { createSemanticRanker, type SemanticRanker } from './retrieval/semantic/semantic-ranker.ts'

/** The search by meaning beside the one by words: there where an embedder is configured and the database can keep vectors. */
export interface Semantic {
  readonly ranker: SemanticRanker
  /** Embeds what has no vector yet. */
  readonly job: Job
  readonly close: () => Promise<void>
}

interface Deps {
  readonly log: Logger
  readonly clock: Clock
  readonly random: () => number
  /** Told of each search that had to go by words alone. */
  readonly onFallback: (reason: string) => void
}

const CONNECT_MS = 5_000
const EVERY_MS = 1_000
const BATCHES = 20

/** Undefined when search goes by words alone, which is said once. */
export async function openSemantic(
  { embeddings }: Config,
  secrets: Secrets,
  { db }: Database,
  { log, clock, random, onFallback }: Deps,
): Promise<Semantic | undefined> {
  if (!embeddings) {
    log.info('no embedder is configured: knowledge and memory are searched by words')
    return undefined
  }
  const support = await prepareVectors(db, (why) => log.warn(why))
  if (!support) return undefined
  const { url, model, apiKeyEnv } = embeddings
  const settings = { url, model, apiKey: secrets.fromEnvironment(apiKeyEnv) }
  // Its URL counts as configured: it may be private (ADM-ENV-10).
  const connect = guardedConnector(true, CONNECT_MS)
  const embedder = new Embedder(settings, { connect, random, now: () => clock.now().getTime() })
  const onProblem = (text: string) => log.warn(text)
  const progress = new EmbeddingProgress()
  const textsOf = { knowledge: loadChunkTexts, memory: loadMemoryTexts }
  return {
    ranker: createSemanticRanker({ db, embedder, onFallback, onProblem }),
    job: {
      name: 'embed what has no vector yet',
      everyMs: EVERY_MS,
      run: async () =>
        void (await embedMissing({ db, embedder, support, textsOf, progress, onProblem }, { maxBatches: BATCHES })),
    },
    close: () => embedder.close(),
  }
}
