import type { Signal } from '../../db/signal.ts'
import { whileRenewing } from '../../jobs/queue/lease.ts'
import { RETRY_DELAYS } from '../../jobs/queue/retry-delays.ts'
import { WorkQueue } from '../../jobs/queue/work-queue.ts'
import { runInStoredTrace } from '../../lib/trace-context.ts'
import { REVIEWS_TOPIC } from '../../review/review.ts'
import { ASSISTANTS_TOPIC } from './enqueue-turn.ts'
import { type TurnDeps, takeTurn } from './take-turn.ts'
import { claimTurns, postponeTurn, renewClaim, type Turn } from './turn-store.ts'

/** Turns that a node works on at once. */
const CONCURRENCY = 8
/** After a node has died, another takes its turns up after this. */
const LEASE_MS = 20_000
const RENEW_MS = 5_000
/** When the server stops: turns may end in this time; then their provider calls are cut, and another node repeats them. */
const GRACE_MS = 10_000
/** For storing that a cut turn is postponed. */
const CUT_MS = 1_000

interface Deps extends TurnDeps {
  readonly signal: Signal
  /** Whether the pipeline records spans. */
  readonly recordsSpans: boolean
}

/** Answers messages to assistants. Every node has one; one node at a time works on a turn. */
export class AssistantWorker extends WorkQueue<Turn> {
  constructor(deps: Deps) {
    const { db, clock, log, signal } = deps
    super({
      claim: (most) => claimTurns(db, clock.now(), LEASE_MS, most),
      work: (turn, cut) => workOn(turn, cut, deps),
      concurrency: CONCURRENCY,
      signal,
      topics: [ASSISTANTS_TOPIC, REVIEWS_TOPIC],
      graceMs: GRACE_MS,
      cutMs: CUT_MS,
      onError: (err) => log.error({ err }, 'turns of assistants could not be claimed'),
    })
  }
}

/** Afterwards the next turn of the same conversation may be due. */
async function workOn(turn: Turn, cut: AbortSignal, deps: Deps): Promise<true> {
  const { db, clock, log, recordsSpans } = deps
  const after = (ms: number) => new Date(clock.now().getTime() + ms)
  const renew = () => renewClaim(db, turn, after(LEASE_MS))
  const take = () => runInStoredTrace(turn.traceparent, recordsSpans, () => takeTurn(turn, cut, deps))
  try {
    await whileRenewing(RENEW_MS, renew, take)
  } catch (err) {
    log.error({ err, message_id: turn.messageId }, 'an assistant could not take its turn')
    await postponeTurn(db, turn, after(RETRY_DELAYS.assistantTurn), { failed: true }).catch(() => false)
  }
  return true
}
