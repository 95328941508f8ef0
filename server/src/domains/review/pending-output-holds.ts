import type { Db } from '../../platform/db/database.ts'
import type { Signal } from '../../platform/db/signal.ts'
import { Cache } from '../../platform/lib/cache.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { MaybePromise } from '../../platform/lib/maybe-promise.ts'
import { REVIEWS_TOPIC, type ReviewOwner } from './review.ts'
import { pendingHolds } from './review-row.ts'

interface Deps {
  readonly db: Db
  readonly signal: Signal
  readonly clock: Clock
  readonly maxAgeMs?: number
  readonly loadMs?: number
}

/** Caches whether an Application has pending output holds, so that a chat of another Application needs no `findPendingHold` query. */
export class PendingOutputHolds {
  readonly #cache: Cache<boolean>

  constructor({ db, signal, clock, maxAgeMs, loadMs }: Deps) {
    const load = (key: string) => {
      const [workspaceId = '', applicationId = ''] = key.split(' ')
      return hasPendingOutputHold(db, { workspaceId, applicationId }, clock.now())
    }
    this.#cache = new Cache(load, { maxAgeMs, loadMs, renews: true })
    // The signal names an item, not its Application.
    signal.subscribe(REVIEWS_TOPIC, () => this.#cache.forget())
  }

  mayExist({ workspaceId, applicationId }: ReviewOwner): MaybePromise<boolean> {
    return this.#cache.get(`${workspaceId} ${applicationId}`)
  }
}

async function hasPendingOutputHold(db: Db, owner: ReviewOwner, now: Date): Promise<boolean> {
  const holds = pendingHolds(db, owner, now).where('point', '=', 'output')
  return (await holds.select('id').limit(1).executeTakeFirst()) !== undefined
}
