import type { Db } from '../../db/database.ts'
import { elapsed } from '../../lib/clock.ts'
import { newUuid } from '../../lib/id.ts'
import { buildIndex, canBeIndexed, dropIndex, EXACT_ROWS } from './approximate-index.ts'
import { BATCH_TEXTS } from './batches.ts'
import { embedEntries } from './embed-entries.ts'
import type { Embedder, EmbedFailure } from './embedder.ts'
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
import type { VectorSupport } from './prepare-vectors.ts'
import { countVectors, deleteVectors, stateOfEntries, storeEmbeddings, type Unembedded, unembedded } from './vector-store.ts'

/** The texts of entries, by their UUIDs; one that is gone is left out. */
export type TextsOf = (db: Db, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>

export interface EmbedMissingDeps {
  readonly db: Db
  readonly embedder: Embedder
  readonly support: VectorSupport
  /** By the kind of partition. */
  readonly textsOf: Readonly<Record<string, TextsOf>>
  /** Made once for each server. */
  readonly progress: EmbeddingProgress
  /** Called when something begins to stand in the way, not each time. */
  readonly onProblem: (text: string) => void
}

/** What one server knows about its work between two runs; all of it can be found out again. */
export class EmbeddingProgress {
  readonly node = newUuid()
  /** The configured model, once it has been declared. */
  modelId: number | undefined
  /** The state of the entries when all of them had been embedded. */
  doneAt: string | undefined
  problem: string | undefined
  pausedUntil = 0
  pauseMs = 0
}

/** Two of them are under way at a time. */
const PAGE = 2 * BATCH_TEXTS
const DELETED_AT_ONCE = 1_000
const RENEW_MS = 20_000
const FIRST_PAUSE_MS = 10_000
const MAX_PAUSE_MS = 300_000
const CALL = { timeoutMs: 60_000, retries: 4 }
const PROBE = 'Gatehouse'
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/**
 * Makes the vectors that are missing, at most `maxBatches` pages of them, then sees to what follows: when every entry has one the
 * configured model takes over, and the vectors of the model before it are deleted. Goes on where it stopped, whoever stopped it;
 * of several nodes one works at a time, by a lease on the model's row. A lease and no lock: the embedded database has one
 * session, and a transaction open while the embedder thinks would keep everybody else out.
 * Answers with how many entries it went through.
 */
export async function embedMissing(deps: EmbedMissingDeps, { maxBatches }: { maxBatches: number }): Promise<number> {
  const { db, progress } = deps
  if (elapsed() < progress.pausedUntil) return 0
  const model = await currentModel(deps)
  if (!model || !(await leaseModel(db, model.id, progress.node))) return 0
  const renewal = setInterval(() => void leaseModel(db, model.id, progress.node).catch(() => {}), RENEW_MS)
  renewal.unref()
  try {
    const state = await stateOfEntries(db)
    const before = progress.doneAt === state ? 0 : await embedPages(deps, model, maxBatches)
    if (before === undefined) return 0
    if (progress.doneAt !== state && (await unembedded(db, model.id, BEFORE_ALL, 1)).length === 0) {
      await completed(deps, model)
      progress.doneAt = state
    }
    await cleanUp(db, model, maxBatches)
    return before
  } finally {
    clearInterval(renewal)
    await releaseModel(db, model.id, progress.node)
  }
}

/** The configured model's row; how many dimensions it has is asked of the server, where the configuration does not say. */
async function currentModel(deps: EmbedMissingDeps): Promise<EmbeddingModel | undefined> {
  const { db, embedder, progress } = deps
  if (progress.modelId !== undefined) {
    const model = await findModel(db, progress.modelId)
    if (model && model.state !== 'retired') return model
    return complain(deps, 'another server of this database embeds with a newer model: configure this one alike and restart it')
  }
  let { dimensions } = embedder.model
  if (dimensions === undefined) {
    const answer = await embedder.embed([PROBE], CALL)
    if (!answer.ok) return stopped(deps, answer)
    dimensions = answer.vectors[0]?.length ?? 0
  }
  const model = await declareModel(db, embedder.model, dimensions)
  progress.modelId = model.id
  return model
}

/** undefined: the embedder stands in the way. */
async function embedPages(deps: EmbedMissingDeps, model: EmbeddingModel, maxBatches: number): Promise<number | undefined> {
  const { db, embedder, progress } = deps
  const isWell = async (): Promise<boolean> => (await embedder.embed([PROBE], CALL)).ok
  let after = BEFORE_ALL
  let count = 0
  for (let page = 0; page < maxBatches; page++) {
    const missing = await unembedded(db, model.id, after, PAGE)
    const last = missing.at(-1)
    if (!last) break
    const texts = await textsOf(deps, missing)
    const made = await embedEntries(texts, {
      embed: (batch) => embedder.embed(batch, CALL),
      dimensions: model.dimensions,
      isWell,
    })
    if (!made.ok) {
      // Without a number from the configuration the server may have got another model under the same name: look anew.
      if (made.failure === 'dimensions' && embedder.model.dimensions === undefined) progress.modelId = undefined
      return stopped(deps, made)
    }
    await storeEmbeddings(db, model.id, made.embeddings)
    after = last.id
    count += missing.length
  }
  progress.problem = undefined
  progress.pauseMs = 0
  return count
}

async function textsOf({ db, textsOf: byKind }: EmbedMissingDeps, entries: readonly Unembedded[]): Promise<[string, string][]> {
  const texts = new Map<string, string>()
  for (const kind of new Set(entries.map((entry) => entry.kind))) {
    const read = byKind[kind]
    if (!read) throw new Error(`nobody knows the texts of entries of the kind ${kind}`)
    const ids = entries.filter((entry) => entry.kind === kind).map(({ id }) => id)
    for (const [id, text] of await read(db, ids)) texts.set(id, text)
  }
  return entries.map(({ id }) => [id, texts.get(id) ?? ''])
}

async function completed({ db, support }: EmbedMissingDeps, model: EmbeddingModel): Promise<void> {
  const worthAnIndex = support.iterativeScans && !model.indexed && canBeIndexed(model)
  if (worthAnIndex && (await countVectors(db, model.id)) > EXACT_ROWS) {
    await buildIndex(db, model)
    await markIndexed(db, model.id, true)
  }
  if (model.state === 'building') await switchTo(db, model.id)
}

async function cleanUp(db: Db, current: EmbeddingModel, maxBatches: number): Promise<void> {
  await retireAbandoned(db, current.id)
  for (const model of await retiredModels(db)) {
    await dropIndex(db, model)
    await markIndexed(db, model.id, false)
    for (let batch = 0; batch < maxBatches; batch++) {
      if ((await deleteVectors(db, model.id, DELETED_AT_ONCE)) < DELETED_AT_ONCE) break
    }
    await forgetModel(db, model.id)
  }
}

function stopped(deps: EmbedMissingDeps, { failure, status }: EmbedFailure): undefined {
  const { progress } = deps
  progress.pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, progress.pauseMs * 2), MAX_PAUSE_MS)
  progress.pausedUntil = elapsed() + progress.pauseMs
  const why = status >= 300 ? `status ${status}` : failure
  return complain(deps, `the embedder does not make the vectors of new entries (${why}): it is asked again later`)
}

function complain({ progress, onProblem }: EmbedMissingDeps, problem: string): undefined {
  if (progress.problem !== problem) onProblem(problem)
  progress.problem = problem
}
