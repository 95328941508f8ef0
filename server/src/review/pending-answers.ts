import type { Db } from '../db/database.ts'
import type { Signal } from '../db/signal.ts'
import { Cache } from '../lib/cache.ts'
import type { Clock } from '../lib/clock.ts'
import { REVIEWS_TOPIC, type ReviewOwner } from './review.ts'
import { uuidOf } from './review-row.ts'

interface Deps {
  readonly db: Db
  readonly signal: Signal
  readonly clock: Clock
  /** How long a lost message may go unnoticed, in milliseconds. */
  readonly maxAgeMs?: number
  /** Longest time of a look-up. */
  readonly loadMs?: number
}

/**
 * Knows which Applications have answers waiting for approval. `findPendingHold` must be asked before a provider is called,
 * and every chat would pay a query for it; almost always there is nothing to find, and this says so from memory.
 */
export class PendingAnswers {
  readonly #known: Cache<boolean>
  readonly #unsubscribe: () => void

  constructor({ db, signal, clock, maxAgeMs = 750, loadMs }: Deps) {
    this.#known = new Cache(
      (key) => {
        const [workspaceId = '', applicationId = ''] = key.split(' ')
        return hasHeldAnswer(db, { workspaceId, applicationId }, clock.now())
      },
      { maxAgeMs, loadMs },
    )
    // Messages name items, not Applications; holds are rare enough to forget all.
    this.#unsubscribe = signal.subscribe(REVIEWS_TOPIC, () => this.#known.forget())
  }

  /** False: no output hold of this Application is pending, so there is nothing to find. */
  mayExist({ workspaceId, applicationId }: ReviewOwner): Promise<boolean> {
    return this.#known.get(`${workspaceId} ${applicationId}`)
  }

  close(): void {
    this.#unsubscribe()
  }
}

async function hasHeldAnswer(db: Db, { workspaceId, applicationId }: ReviewOwner, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('review_item')
    .select('id')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('application_id', '=', uuidOf('app', applicationId))
    .where('kind', '=', 'hold')
    .where('point', '=', 'output')
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
