import type { Signal } from '../../../platform/db/signal.ts'
import { runInStoredTrace, type Sample } from '../../../platform/lib/trace-context.ts'
import { whileRenewing } from '../../../platform/queue/lease.ts'
import { RETRY_DELAYS } from '../../../platform/queue/retry-delays.ts'
import { WorkQueue } from '../../../platform/queue/work-queue.ts'
import { REVIEWS_TOPIC } from '../../review/review.ts'
import { ASSISTANTS_TOPIC } from './enqueue-turn.ts'
import { type TurnDeps, takeTurn } from './take-turn.ts'
import { claimTurns, postponeTurn, renewClaim, type Turn } from './turn-store.ts'

const CONCURRENCY = 8
/** When a node has stopped without notice, its turns are claimed again after this time. */
const LEASE_MS = 20_000
const RENEW_MS = 5_000
/** Time for turns to end when the server stops. Then their upstream requests are aborted, and another node repeats them. */
const GRACE_MS = 10_000
/** Time for an aborted turn to store that it is postponed. */
const CUT_MS = 1_000

interface Deps extends TurnDeps {
  readonly signal: Signal
  /** Decides which traces the pipeline records; undefined: none. */
  readonly sample: Sample | undefined
}

/** Answers messages to assistants. Each node has a worker; one node at a time works on a turn. */
export class AssistantWorker extends WorkQueue<Turn> {
  constructor(deps: Deps) {
    const { db, clock, log } = deps
    super({
      claim: (most) => claimTurns(db, clock.now(), LEASE_MS, most),
      work: (turn, signal) => workOn(turn, signal, deps),
      concurrency: CONCURRENCY,
      signal: deps.signal,
      topics: [ASSISTANTS_TOPIC, REVIEWS_TOPIC],
      graceMs: GRACE_MS,
      cutMs: CUT_MS,
      onError: (err) => log.error({ err }, 'turns of assistants could not be claimed; the next attempt follows within a second'),
    })
  }
}

/** Returns true: the next turn of the same conversation may be due. */
async function workOn(turn: Turn, signal: AbortSignal, deps: Deps): Promise<true> {
  const { db, clock, log, sample } = deps
  const after = (ms: number) => new Date(clock.now().getTime() + ms)
  const renew = () => renewClaim(db, turn, after(LEASE_MS))
  const take = () => runInStoredTrace(turn.traceparent, sample, () => takeTurn(turn, signal, deps))
  try {
    await whileRenewing(RENEW_MS, renew, take)
  } catch (err) {
    log.error({ err, message_id: turn.messageId }, 'a turn of an assistant failed; it is tried again or refused with a notice')
    await postponeTurn(db, turn, after(RETRY_DELAYS.assistantTurn), { failed: true }).catch(() => false)
  }
  return true
}
