import type { Signal } from '../../../platform/db/signal.ts'
import type { SecretBox } from '../../../platform/lib/secret-box.ts'
import { whileRenewing } from '../../../platform/queue/lease.ts'
import { WorkQueue } from '../../../platform/queue/work-queue.ts'
import type { Failure } from '../document.ts'
import { FetchError } from '../document-fetcher.ts'
import { type ClaimedSource, SYNC_COUNTS, type SyncCounts, secretProblem } from '../source.ts'
import { claimSources, finishSource, releaseSource, renewSource, SOURCE_LEASE_MS, sourceContext } from '../source-store.ts'
import { openConnector } from './open-connector.ts'
import type { SourceHttp } from './source-http.ts'
import { DeletionRefused, type SyncDeps, synchronise } from './synchronise.ts'

/** Longest run. The next one continues, because it knows the versions that are stored. */
const RUN_MS = 60 * 60_000

export interface SourceDeps extends SyncDeps {
  readonly signal: Signal
  readonly sourceBox: SecretBox
  readonly sourceHttp: SourceHttp
  readonly onError: (error: Error) => void
}

/** Synchronises sources that are due, one at a time on each node. */
export class SourceWorker extends WorkQueue<ClaimedSource> {
  constructor(deps: SourceDeps) {
    super({
      claim: (most) => claimSources(deps.db, deps.clock.now(), most),
      work: async (source, stopping) => {
        const renew = () => renewSource(deps.db, source, deps.clock.now())
        await whileRenewing(SOURCE_LEASE_MS / 3, renew, () => run(deps, source, stopping))
        return true
      },
      concurrency: 1,
      topics: [],
      ...deps,
    })
  }
}

async function run(deps: SourceDeps, source: ClaimedSource, stopping: AbortSignal): Promise<void> {
  const { db, clock } = deps
  const counts = Object.fromEntries(SYNC_COUNTS.map((name) => [name, 0])) as SyncCounts
  const end = (ended: { failure: Omit<Failure, 'at'> | null; cursor?: string | null }): Promise<void> => {
    const now = clock.now()
    const at = now.toISOString()
    return finishSource(db, source, {
      ...ended,
      result: { at, ...counts },
      failure: ended.failure && { ...ended.failure, at },
      now,
    })
  }
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(RUN_MS)])
  try {
    await end({ failure: null, cursor: await connectAndSynchronise(deps, source, counts, signal) })
  } catch (error) {
    if (stopping.aborted) return void (await releaseSource(db, source))
    await end({ failure: failureOf(error, signal) })
    if (!isExpected(error, signal)) throw error
  }
}

async function connectAndSynchronise(
  deps: SourceDeps,
  source: ClaimedSource,
  counts: SyncCounts,
  signal: AbortSignal,
): Promise<string | null> {
  const connector = openConnector({ ...source, secret: openSecret(deps.sourceBox, source) }, deps.sourceHttp, signal)
  try {
    return await synchronise(deps, source, connector, counts, signal)
  } finally {
    await connector.close()
  }
}

function openSecret(box: SecretBox, { id, url, sealedSecret }: ClaimedSource): string | null {
  if (sealedSecret === null) return null
  const problem = secretProblem(url)
  if (problem !== undefined) throw new FetchError('blocked', `The URL ${problem}.`)
  try {
    return box.open(sealedSecret, sourceContext(id, url))
  } catch (cause) {
    throw new FetchError('not_fetched', 'The secret cannot be read with the secret key of the server. Enter it again.', cause)
  }
}

const isExpected = (error: unknown, signal: AbortSignal): boolean =>
  error instanceof FetchError || error instanceof DeletionRefused || signal.aborted

function failureOf(error: unknown, signal: AbortSignal): Omit<Failure, 'at'> {
  if (error instanceof DeletionRefused) return { code: 'deletion_refused', message: error.message }
  if (signal.aborted) return { code: 'timeout', message: 'The run took longer than an hour. The next run continues.' }
  if (error instanceof FetchError) return { code: error.code, message: error.message }
  return { code: 'internal', message: 'The run stopped because of an error of the server, which its log has.' }
}
