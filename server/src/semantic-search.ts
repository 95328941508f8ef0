import { sql } from 'kysely'
import type { Logger } from 'pino'
import { type EmbeddingRecorderDeps, embeddingRecorder } from './domains/audit/embedding-recorder.ts'
import type { Job } from './domains/jobs/jobs.ts'
import { loadChunkTexts } from './domains/knowledge/passages.ts'
import { chunkPartitionsUpTo } from './domains/knowledge/visibility.ts'
import { loadMemoryTexts } from './domains/memory/memory-row.ts'
import { memoryPartitionsUpTo } from './domains/memory/owner-store.ts'
import { createRanker, type Ranker } from './domains/retrieval/rank.ts'
import { Reranker } from './domains/retrieval/reranker.ts'
import { EmbeddingProgress, embedMissing } from './domains/retrieval/semantic/embed-missing.ts'
import { Embedder } from './domains/retrieval/semantic/embedder.ts'
import { prepareVectors } from './domains/retrieval/semantic/prepare-vectors.ts'
import { createSemanticRanker, type SemanticRanker } from './domains/retrieval/semantic/semantic-ranker.ts'
import type { Embeddable } from './domains/retrieval/semantic/vector-store.ts'
import type { Config } from './platform/config/config.ts'
import type { Secrets } from './platform/config/secrets.ts'
import type { Database } from './platform/db/database.ts'
import { guardedConnector } from './platform/lib/url-guard.ts'
import type { Classification } from './shared/classification.ts'

interface SemanticSearch {
  readonly ranker: SemanticRanker
  /** Number of searches that were lexical only, because the embedder or the vectors failed. */
  readonly fallbacks: () => number
  readonly job: Job
  readonly close: () => Promise<void>
}

interface Deps extends EmbeddingRecorderDeps {
  readonly config: Config
  readonly secrets: Secrets
  readonly database: Pick<Database, 'sessionDb'>
  readonly log: Logger
  readonly random: () => number
}

const CONNECT_MS = 5_000
const EVERY_MS = 1_000
const BATCHES = 20

/** Returns undefined and logs why if no embedder is configured or the database cannot store vectors: searches are lexical only. */
async function openSemanticSearch(deps: Deps): Promise<SemanticSearch | undefined> {
  const { db, log, clock, random, secrets } = deps
  const { embeddings } = deps.config
  if (!embeddings) {
    log.info('no embedder is configured: search in knowledge and memory is lexical only')
    return undefined
  }
  const onProblem = (problem: string) => log.warn(problem)
  const support = await prepareVectors(db, onProblem)
  if (!support) return undefined
  const { url, model, apiKeyEnv, limits } = embeddings
  const settings = { url, model, limits, apiKey: secrets.fromEnvironment(apiKeyEnv) }
  // The URL comes from the configuration, so it may be private (ADM-ENV-10).
  const connect = guardedConnector(true, CONNECT_MS)
  const embedder = new Embedder(settings, { connect, random, now: () => clock.now().getTime() })
  const progress = new EmbeddingProgress()
  const textsOf = { knowledge: loadChunkTexts, memory: loadMemoryTexts }
  const embeddable = embeddableUpTo(limits.maxClassification)
  const record = embeddingRecorder(deps)
  const embedding = {
    db,
    sessionDb: deps.database.sessionDb,
    embedder,
    support,
    textsOf,
    embeddable,
    record,
    progress,
    onProblem,
  }
  let fallbacks = 0
  return {
    ranker: createSemanticRanker({ db, embedder, onFallback: () => void fallbacks++, onProblem }),
    fallbacks: () => fallbacks,
    job: {
      name: 'embedding of chunks and memories',
      everyMs: EVERY_MS,
      run: async () => void (await embedMissing(embedding, { maxBatches: BATCHES })),
    },
    close: () => embedder.close(),
  }
}

/** All partitions with active texts, or those whose texts have at most this classification. */
const embeddableUpTo = (ceiling: Classification): Embeddable =>
  ceiling === 'restricted'
    ? sql<boolean>`(partition.kind = 'memory' or exists (select from knowledge_partition as listed where listed.id = partition.id))`
    : sql<boolean>`partition.id in (${chunkPartitionsUpTo(ceiling)} union all ${memoryPartitionsUpTo(ceiling)})`

/** The ranker of searches, with the embedder and the reranker that are configured. */
export interface Search {
  readonly ranker: Ranker
  readonly semantic: SemanticSearch | undefined
  readonly close: () => Promise<void>
}

export async function openSearch(deps: Deps): Promise<Search> {
  const semantic = await openSemanticSearch(deps)
  const reranker = openReranker(deps)
  return {
    ranker: createRanker({ embedder: semantic?.ranker, reranker }),
    semantic,
    close: async () => void (await Promise.all([semantic?.close(), reranker?.close()])),
  }
}

function openReranker({ config, secrets, clock, log }: Deps): Reranker | undefined {
  if (!config.rerank) return undefined
  const { url, model, apiKeyEnv, limits } = config.rerank
  const settings = { url, model, limits, apiKey: secrets.fromEnvironment(apiKeyEnv) }
  // The URL comes from the configuration, so it may be private (ADM-ENV-10).
  const connect = guardedConnector(true, CONNECT_MS)
  return new Reranker(settings, { connect, now: () => clock.now().getTime(), onProblem: (problem) => log.warn(problem) })
}
