import type { Db } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { announceExpiringKeys } from '../identity/api-key-store.ts'
import { listReviewTargets } from '../identity/workspace-store.ts'
import type { EventRelay } from '../messaging/events/event-relay.ts'
import { announceOverdue } from '../review/announce-review.ts'
import type { Job } from './jobs.ts'
import { inBatches, runForEach } from './jobs.ts'

const MINUTE = 60_000
const BATCH = 200

export interface AnnouncementJobDeps {
  readonly db: Db
  readonly clock: Clock
  readonly relay: Pick<EventRelay, 'wake'>
}

/** Announces changes that time alone makes: overdue review items, and keys that expire soon. */
export const announcementJobs = (deps: AnnouncementJobDeps): Job[] => [
  { name: 'announce overdue reviews', oncePerNode: true, everyMs: MINUTE, run: () => announceAllOverdue(deps) },
  { name: 'announce expiring keys', oncePerNode: true, everyMs: 10 * MINUTE, run: () => announceKeys(deps) },
]

async function announceAllOverdue({ db, clock, relay }: AnnouncementJobDeps): Promise<void> {
  const targets = new Map((await listReviewTargets(db)).map(({ workspaceId, minutes }) => [workspaceId, minutes]))
  await runForEach([...targets.keys()], async (workspaceId) => {
    const now = clock.now()
    const before = new Date(now.getTime() - (targets.get(workspaceId) ?? 0) * MINUTE)
    await inBatches(BATCH, (most) => db.transaction().execute((tx) => announceOverdue(tx, workspaceId, { now, before, most })))
  })
  relay.wake()
}

async function announceKeys({ db, clock, relay }: AnnouncementJobDeps): Promise<void> {
  await inBatches(BATCH, (most) => db.transaction().execute((tx) => announceExpiringKeys(tx, clock.now(), most)))
  relay.wake()
}
