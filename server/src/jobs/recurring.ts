import { findWorkspace } from '../applications/workspace-store.ts'
import type { Database } from '../db/database.ts'
import { buildDeferredIndexes } from '../db/deferred-indexes.ts'
import type { Upkeep } from '../db/upkeep.ts'
import { sweepCollections } from '../knowledge/sweep.ts'
import { removeExpired } from '../memory/erase.ts'
import type { AssistantWorker } from '../messaging/assistants/worker.ts'
import { removeUnsent } from '../messaging/attachments/attachment-store.ts'
import type { FileStore } from '../messaging/attachments/file-store.ts'
import { removeLeftovers } from '../messaging/attachments/receive.ts'
import { removeFiles } from '../messaging/attachments/removed-files.ts'
import { removeOldKeys } from '../messaging/door/idempotency.ts'
import { removeEnded } from '../messaging/events/delivery-store.ts'
import type { WebhookDispatcher } from '../messaging/events/dispatcher.ts'
import { pruneLog } from '../messaging/events/log-store.ts'
import type { EventRelay } from '../messaging/events/relay.ts'
import { removeExpiredHolds } from '../messaging/messages/expired-holds.ts'
import { endConversationRetentions, endWorkspaceRetention } from '../messaging/retention/end-retention.ts'
import { finishErasures } from '../messaging/retention/erase-traces.ts'
import { removeExpiredSignIns } from '../operators/expired.ts'
import { eraseExpired } from '../review/review-store.ts'
import { type AuditJobDeps, auditJobs } from './audit-jobs.ts'
import { eachOf, workspaceIds } from './each-workspace.ts'
import type { Job } from './jobs.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR
const ERASE_BATCH = 500
/** Chunks. */
const SWEEP_BATCH = 500
const EVENT_BATCH = 1_000
/** How far back event streams resume (decisions.md §3, Events). */
const EVENT_LOG_MS = 7 * DAY
/** How long deliveries are shown, and can be sent once more, after they have ended. */
const DELIVERIES_MS = { delivered: 7 * DAY, dead: 30 * DAY }
/** How long an upload waits to be sent. */
const UNSENT_MS = DAY
const FILE_BATCH = 100

interface Deps extends AuditJobDeps {
  readonly database: Pick<Database, 'pool' | 'kind'>
  readonly files: FileStore
  readonly relay: Pick<EventRelay, 'run'>
  readonly assistants: Pick<AssistantWorker, 'run'>
  readonly webhooks: Pick<WebhookDispatcher, 'wake'>
  /** Of the embedded database; PostgreSQL looks after itself. */
  readonly upkeep: Upkeep | undefined
}

/** What recurs, and how often. */
export const recurringJobs = (deps: Deps): Job[] => [
  // Expiry itself is read from the clock: this only removes what can no longer be read.
  { name: 'erase content of expired reviews', everyMs: 60 * SECOND, run: () => eraseReviews(deps) },
  { name: 'let go of held messages', everyMs: 60 * SECOND, run: () => letGoOfHeld(deps) },
  { name: 'remove expired memories', everyMs: 60 * SECOND, run: () => removeMemories(deps) },
  { name: 'remove deleted collections', everyMs: 30 * SECOND, run: () => removeCollections(deps) },
  ...auditJobs(deps),
  // Who writes events wakes the relay; this is for what was written as its node died, and by those who cannot wake it.
  { name: 'relay events', everyMs: SECOND / 4, run: () => deps.relay.run() },
  // Likewise: who sends a message to one wakes them.
  { name: 'answer as assistants', everyMs: SECOND, run: () => deps.assistants.run() },
  { name: 'deliver to webhooks', everyMs: SECOND, run: async () => deps.webhooks.wake() },
  { name: 'prune events and deliveries', everyMs: HOUR, run: () => pruneEvents(deps) },
  { name: 'forget idempotency keys', everyMs: 60 * SECOND, run: () => forgetKeys(deps) },
  { name: 'remove files', everyMs: 10 * SECOND, run: () => removeOldFiles(deps) },
  { name: 'remove uploads that nobody sent', everyMs: 600 * SECOND, run: () => removeUploads(deps) },
  { name: 'end message retention', everyMs: HOUR, run: () => endMessageRetention(deps) },
  // An erasure is done by who asks for it; this is for what was on its way, and for what a fault has left.
  { name: 'finish erasures of users', everyMs: 60 * SECOND, run: () => finishAll(deps) },
  { name: 'remove expired sessions', everyMs: HOUR, run: () => removeExpiredSignIns(deps.db, deps.clock.now()) },
  { name: 'build indexes of large tables', everyMs: 60 * SECOND, run: () => buildDeferredIndexes(deps.database) },
  ...(deps.upkeep ? upkeepJobs(deps.upkeep) : []),
]

const upkeepJobs = (upkeep: Upkeep): Job[] => [
  { name: 'checkpoint of the embedded database', everyMs: 60 * SECOND, run: () => upkeep.checkpoint() },
  { name: 'vacuum of the embedded database', everyMs: HOUR, run: () => upkeep.vacuum() },
]

async function eraseReviews({ db, clock }: Deps): Promise<void> {
  while ((await eraseExpired(db, clock.now(), ERASE_BATCH)) === ERASE_BATCH);
}

async function letGoOfHeld({ db, clock }: Deps): Promise<void> {
  while ((await removeExpiredHolds(db, clock.now(), ERASE_BATCH)) === ERASE_BATCH);
}

async function removeMemories({ db, clock }: Deps): Promise<void> {
  while ((await removeExpired(db, clock.now(), ERASE_BATCH)) === ERASE_BATCH);
}

async function removeCollections({ db }: Deps): Promise<void> {
  while (await sweepCollections(db, SWEEP_BATCH));
}

async function pruneEvents({ db, clock }: Deps): Promise<void> {
  const before = new Date(clock.now().getTime() - EVENT_LOG_MS)
  while ((await pruneLog(db, before, EVENT_BATCH)) === EVENT_BATCH);
  for (const state of ['delivered', 'dead'] as const) {
    const ended = new Date(clock.now().getTime() - DELIVERIES_MS[state])
    while ((await removeEnded(db, state, ended, EVENT_BATCH)) === EVENT_BATCH);
  }
}

async function forgetKeys({ db, clock }: Deps): Promise<void> {
  while ((await removeOldKeys(db, clock.now(), ERASE_BATCH)) === ERASE_BATCH);
}

async function removeOldFiles({ db, clock, files }: Deps): Promise<void> {
  while ((await removeFiles(db, files, clock.now(), FILE_BATCH)) === FILE_BATCH);
}

async function removeUploads({ db, clock, files }: Deps): Promise<void> {
  const now = clock.now()
  while ((await removeUnsent(db, new Date(now.getTime() - UNSENT_MS), now, ERASE_BATCH)) === ERASE_BATCH);
  await removeLeftovers(files.incoming, now)
}

async function finishAll({ db, clock }: Deps): Promise<void> {
  await finishErasures(db, clock.now())
}

async function endMessageRetention({ db, clock }: Deps): Promise<void> {
  await endConversationRetentions(db, clock.now())
  await eachOf(await workspaceIds(db), async (workspaceId) => {
    const days = (await findWorkspace(db, workspaceId))?.settings.message_retention_days ?? null
    if (days !== null) await endWorkspaceRetention(db, workspaceId, days, clock.now())
  })
}
