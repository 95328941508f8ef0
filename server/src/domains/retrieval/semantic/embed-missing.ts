import type { Db, Tx } from '../../../platform/db/database.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { newUuid } from '../../../platform/lib/id.ts'
import { whileRenewing } from '../../../platform/queue/lease.ts'
import { RETRY_DELAYS, RetryPause } from '../../../platform/queue/retry-delays.ts'
import type { SentSource, ServiceCall } from '../../../shared/service-call.ts'
import { callOf } from '../service-limits.ts'
import type { PartitionKind } from '../tables.ts'
import { EMBED_CALL, embedEntries, isBlank, PROBE } from './embed-entries.ts'
import { BATCH_TEXTS, type Embedder, type EmbedFailure, outcomeOf } from './embedder.ts'
import {
  declareModel,
  type EmbeddingModel,
  findModel,
  forgetModel,
  leaseModel,
  markIndexed,
  releaseModel,
  retireAbandoned,
  retiredModels,
  switchTo,
} from './model-store.ts'
import { buildIndex, canBeIndexed, dropIndex, EXACT_ROWS } from './nearest.ts'
import type { VectorSupport } from './prepare-vectors.ts'
import {
  countVectors,
  deleteVectors,
  type Embeddable,
  stateOfEntries,
  storeEmbeddings,
  type Unembedded,
  unembedded,
} from './vector-store.ts'

/** Loads the texts of entries by UUID, without deleted entries. */
export type LoadTexts = (db: Db, ids: readonly string[]) => Promise<ReadonlyMap<string, SourceText>>

/** A text, and the document or memory that it is part of. */
export interface SourceText {
  readonly text: string
  readonly source: Omit<SentSource, 'texts'>
}

/** Calls `write` in a transaction that also records the call in the Workspace's audit log. Throws if it cannot be recorded. */
export type RecordEmbedding = (workspaceUuid: string, call: ServiceCall, write: (tx: Tx) => Promise<void>) => Promise<void>

export interface EmbedMissingDeps {
  readonly db: Db
  /** Builds and drops indexes, outside of transactions. */
  readonly sessionDb: Db
  readonly embedder: Embedder
  readonly support: VectorSupport
  readonly textsOf: Readonly<Record<PartitionKind, LoadTexts>>
  readonly embeddable: Embeddable
  readonly record: RecordEmbedding
  /** One for each server. */
  readonly progress: EmbeddingProgress
  /** Called when a problem begins, not each time it occurs. */
  readonly onProblem: (text: string) => void
}

/** The state of one server between two runs; a restart loses it without harm. */
export class EmbeddingProgress {
  readonly node = newUuid()
  /** The configured model, once it has been declared. */
  modelId: number | undefined
  /** The state of the entries when all of them had been embedded. */
  doneAt: string | undefined
  problem: string | undefined
  /** The entries of the failed call that was recorded last: sending them again is not recorded while it fails. */
  recordedFailure = ''
  readonly pause = new RetryPause(RETRY_DELAYS.embedding)
}

/** Two batches are requested at a time. */
const PAGE = 2 * BATCH_TEXTS
const DELETED_AT_ONCE = 1_000
const RENEW_MS = 20_000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/**
 * Embeds entries without a vector, at most `maxBatches` pages. When every entry has one, the configured model takes over and the
 * vectors of the model before it are deleted. Continues where the last run stopped. One node works at a time, by a lease on the
 * model's row; not by a lock, because an open transaction would block the embedded database, which has one session.
 * Resolves to the number of entries it read.
 */
export async function embedMissing(deps: EmbedMissingDeps, { maxBatches }: { maxBatches: number }): Promise<number> {
  const { db, progress } = deps
  if (progress.pause.isActive) return 0
  const model = await currentModel(deps)
  if (!model || !(await leaseModel(db, model.id, progress.node))) return 0
  const renew = () => leaseModel(db, model.id, progress.node)
  try {
    return await whileRenewing(RENEW_MS, renew, () => embedUnderLease(deps, model, maxBatches))
  } finally {
    await releaseModel(db, model.id, progress.node)
  }
}

async function embedUnderLease(deps: EmbedMissingDeps, model: EmbeddingModel, maxBatches: number): Promise<number> {
  const { db, progress, embeddable } = deps
  const state = await stateOfEntries(db, embeddable)
  const count = progress.doneAt === state ? 0 : await embedPages(deps, model, maxBatches)
  if (count === undefined) return 0
  if (progress.doneAt !== state && (await unembedded(db, model.id, { embeddable, after: BEFORE_ALL, limit: 1 })).length === 0) {
    await activateModel(deps, model)
    progress.doneAt = state
  }
  await cleanUp(deps, model, maxBatches)
  return count
}

/** The configured model's row. Asks the server for the number of dimensions if the configuration does not state it. */
async function currentModel(deps: EmbedMissingDeps): Promise<EmbeddingModel | undefined> {
  const { db, embedder, progress } = deps
  if (progress.modelId !== undefined) {
    const model = await findModel(db, progress.modelId)
    if (model && model.state !== 'retired') return model
    return reportProblem(
      deps,
      'another server of this database embeds with a newer model: configure the same model here and restart',
    )
  }
  let { dimensions } = embedder.model
  if (dimensions === undefined) {
    const result = await embedder.embed([PROBE], EMBED_CALL)
    if (!result.ok) return handleFailure(deps, result)
    dimensions = result.vectors[0]?.length ?? 0
  }
  const model = await declareModel(db, embedder.model, dimensions)
  progress.modelId = model.id
  return model
}

/** Returns the number of entries read, or undefined if the embedder failed. */
async function embedPages(deps: EmbedMissingDeps, model: EmbeddingModel, maxBatches: number): Promise<number | undefined> {
  const { db, progress, embeddable } = deps
  let after = BEFORE_ALL
  let count = 0
  for (let page = 0; page < maxBatches; page++) {
    const missing = await unembedded(db, model.id, { embeddable, after, limit: PAGE })
    const last = missing.at(-1)
    if (!last) break
    for (const [workspace, entries] of Map.groupBy(missing, (entry) => entry.workspace)) {
      const failure = await embedAndRecord(deps, model, workspace, entries).catch((cause) => {
        // Without a pause the texts would be sent again each second, although that cannot be recorded.
        progress.pause.failed()
        throw cause
      })
      if (failure) return handleFailure(deps, failure)
    }
    after = last.id
    count += missing.length
  }
  progress.problem = undefined
  progress.pause.succeeded()
  return count
}

/** One record for a page of a Workspace, so that many small documents are not as many records. Returns the failure of the embedder. */
async function embedAndRecord(
  deps: EmbedMissingDeps,
  model: EmbeddingModel,
  workspace: string,
  entries: readonly Unembedded[],
): Promise<EmbedFailure | undefined> {
  const { embedder, progress, record } = deps
  const loaded = await loadTexts(deps, entries)
  const texts = entries.map(({ id }) => [id, loaded.get(id)?.text ?? ''] as const)
  const sent = [...loaded.values()].filter(({ text }) => !isBlank(text))
  const startedAt = elapsed()
  const result = await embedEntries(texts, embedder, model)
  const facts = { ...outcomeOf(result), ms: elapsed() - startedAt, texts: sent.length }
  const call = { ...callOf(embedder.service, facts), sources: sourcesOf(sent) }
  if (result.ok) {
    const write = (tx: Tx) => storeEmbeddings(tx, model.id, result.embeddings)
    await (sent.length === 0 ? deps.db.transaction().execute(write) : record(workspace, call, write))
    return undefined
  }
  const ids = entries.map(({ id }) => id).join()
  if (result.mayHaveArrived && ids !== progress.recordedFailure) {
    await record(workspace, call, async () => {})
    progress.recordedFailure = ids
  }
  // If the configuration states no dimensions, the server may have another model under the same name: ask again.
  if (result.failure === 'dimensions' && embedder.model.dimensions === undefined) progress.modelId = undefined
  return result
}

const sourcesOf = (texts: readonly SourceText[]): readonly SentSource[] =>
  [...Map.groupBy(texts, ({ source }) => source.id).values()].flatMap(([first, ...others]) =>
    first ? { ...first.source, texts: 1 + others.length } : [],
  )

async function loadTexts(
  { db, textsOf }: EmbedMissingDeps,
  entries: readonly Unembedded[],
): Promise<ReadonlyMap<string, SourceText>> {
  const texts = new Map<string, SourceText>()
  for (const [kind, own] of Map.groupBy(entries, (entry) => entry.kind)) {
    const ids = own.map(({ id }) => id)
    for (const [id, text] of await textsOf[kind](db, ids)) texts.set(id, text)
  }
  return texts
}

async function activateModel({ db, sessionDb, support }: EmbedMissingDeps, model: EmbeddingModel): Promise<void> {
  const needsIndex = support.iterativeScans && !model.indexed && canBeIndexed(model)
  if (needsIndex && (await countVectors(db, model.id)) > EXACT_ROWS) {
    await buildIndex(sessionDb, model)
    await markIndexed(db, model.id, true)
  }
  if (model.state === 'building') await switchTo(db, model.id)
}

async function cleanUp({ db, sessionDb }: EmbedMissingDeps, current: EmbeddingModel, maxBatches: number): Promise<void> {
  await retireAbandoned(db, current.id)
  for (const model of await retiredModels(db)) {
    await dropIndex(sessionDb, model)
    await markIndexed(db, model.id, false)
    for (let batch = 0; batch < maxBatches; batch++) {
      if ((await deleteVectors(db, model.id, DELETED_AT_ONCE)) < DELETED_AT_ONCE) break
    }
    await forgetModel(db, model.id)
  }
}

function handleFailure(deps: EmbedMissingDeps, { failure, status }: EmbedFailure): undefined {
  const { progress } = deps
  progress.pause.failed()
  const reason = status >= 300 ? `status ${status}` : failure
  return reportProblem(deps, `the embedder cannot embed new entries (${reason}): trying again later`)
}

function reportProblem({ progress, onProblem }: EmbedMissingDeps, problem: string): undefined {
  if (progress.problem !== problem) onProblem(problem)
  progress.problem = problem
}
