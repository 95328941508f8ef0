import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { eraseExpired } from '../review/review-store.ts'
import type { Job } from './jobs.ts'

const SECOND = 1_000
const ERASE_BATCH = 500

/** What recurs, and how often. */
export const recurringJobs = ({ db, clock }: { db: Db; clock: Clock }): Job[] => [
  {
    // Expiry itself is read from the clock: this only removes what can no longer be read.
    name: 'erase content of expired reviews',
    everyMs: 60 * SECOND,
    run: async () => {
      while ((await eraseExpired(db, clock.now(), ERASE_BATCH)) === ERASE_BATCH);
    },
  },
]
