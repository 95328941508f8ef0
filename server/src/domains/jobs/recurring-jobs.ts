import type { Database, Db } from '../../platform/db/database.ts'
import type { DatabaseMaintenance } from '../../platform/db/database-maintenance.ts'
import type { SecretKeys } from '../../platform/lib/secret-box.ts'
import type { Readiness } from '../../platform/telemetry/readiness.ts'
import { announceExpiringKeys } from '../identity/api-key-store.ts'
import { findApplication } from '../identity/application-store.ts'
import { findWorkspace, listReviewTargets } from '../identity/workspace-store.ts'
import { ResealJob } from '../keys/reseal-job.ts'
import { loadChunkEntries } from '../knowledge/passages.ts'
import { relabelDocumentsOfSources } from '../knowledge/relabel-sources.ts'
import { shareSmallPartitions } from '../knowledge/share-partitions.ts'
import type { SourceWorker } from '../knowledge/sources/source-worker.ts'
import { sweepCollections, sweepVersions } from '../knowledge/sweep.ts'
import { removeUnusedParts } from '../knowledge/upload-parts.ts'
import { removeFailedUploads } from '../knowledge/upload-store.ts'
import type { UploadWorker } from '../knowledge/upload-worker.ts'
import { removeIdleQuotas } from '../limits/shared/postgres-store.ts'
import { removeExpired } from '../memory/erase.ts'
import { loadMemoryEntries } from '../memory/memory-row.ts'
import type { AssistantWorker } from '../messaging/assistants/assistant-worker.ts'
import { removeUnsentUploads } from '../messaging/attachments/attachment-store.ts'
import { removeDueFiles } from '../messaging/attachments/file-removal.ts'
import type { FileStore } from '../messaging/attachments/file-store.ts'
import { removeStaleUploads } from '../messaging/attachments/store-upload.ts'
import { removeEndedDeliveries } from '../messaging/events/delivery-store.ts'
import { pruneEventLog } from '../messaging/events/event-log-store.ts'
import type { EventRelay } from '../messaging/events/event-relay.ts'
import type { WebhookDispatcher } from '../messaging/events/webhook-dispatcher.ts'
import { deleteExpiredKeys } from '../messaging/idempotency/idempotency-store.ts'
import { fillMessageWords } from '../messaging/messages/message-words.ts'
import { removeExpiredHolds } from '../messaging/messages/release-held.ts'
import { deleteExpiredOfConversations, deleteExpiredOfWorkspace } from '../messaging/retention/delete-expired-messages.ts'
import { finishErasures } from '../messaging/retention/erase-user.ts'
import type { MailWorker } from '../notifications/mail/mail-worker.ts'
import { removeExpiredSignIns } from '../operators/attempt-store.ts'
import { expiryLimit, listStoringApplications, removeExpiredResponses } from '../responses/stored-response-store.ts'
import { mergePending, purgeRemoved } from '../retrieval/merge.ts'
import { reindexOutdated } from '../retrieval/reindex.ts'
import { announceOverdue } from '../review/announce-review.ts'
import { eraseExpiredReviews } from '../review/review-store.ts'
import { type AuditJobDeps, auditJobs } from './audit-jobs.ts'
import { type BudgetJobDeps, budgetJobs } from './budget-jobs.ts'
import { DAY, HOUR, inBatches, type Job, listWorkspaceIds, MINUTE, nodeJob, runForEach, SECOND } from './jobs.ts'
import type { QueueMeter } from './queue-meter.ts'

/** Few rows, because a transaction blocks the embedded database. */
const CHUNK_BATCH = 200
const EVENT_BATCH = 1_000
const ANNOUNCEMENT_BATCH = 200
/** Few rows, because a transaction blocks the embedded database. An entry takes it about 10 ms. */
const REINDEX_BATCH = { messages: 50, entries: 5 }
/** Few documents, because a transaction blocks the embedded database. */
const RELABEL_BATCH = 5
/** Few rows, because a transaction blocks the embedded database: about 0.5 ms for a merged entry, and 5 ms for a removed one. */
const INDEX_BATCH = { merged: 128, removed: 16 }
const LOAD_ENTRIES = { knowledge: loadChunkEntries, memory: loadMemoryEntries }
/** Age at which events are removed: event streams can resume within it (MSG-EVENT-3). */
const EVENT_LOG_MS = 7 * DAY
/** How long deliveries are stored after their end; they can be listed and replayed in that time. */
const DELIVERIES_MS = { delivered: 7 * DAY, dead: 30 * DAY }
const UNSENT_MS = DAY
/** How long the file of a failed upload is kept for another attempt. */
const FAILED_UPLOAD_MS = 7 * DAY

interface Deps extends AuditJobDeps, BudgetJobDeps {
  readonly database: Pick<Database, 'sessionPool' | 'sessionDb' | 'kind'>
  readonly secrets: SecretKeys
  readonly files: FileStore
  readonly relay: Pick<EventRelay, 'run' | 'wake'>
  readonly assistants: Pick<AssistantWorker, 'run'>
  readonly webhooks: Pick<WebhookDispatcher, 'run'>
  readonly uploads: Pick<UploadWorker, 'run'>
  readonly sources: Pick<SourceWorker, 'run'>
  readonly mail: Pick<MailWorker, 'run'>
  readonly queueMeter: QueueMeter
  readonly readiness: Readiness
  readonly maintenance: DatabaseMaintenance | undefined
}

export const recurringJobs = (deps: Deps): Job[] => [
  ...removalJobs(deps),
  ...auditJobs(deps),
  ...(deps.secrets.oldSecretKeys?.length ? [resealJob(new ResealJob(deps))] : []),
  ...budgetJobs(deps),
  // Changes that time alone makes.
  nodeJob('announce overdue reviews', MINUTE, () => announceAllOverdue(deps)),
  nodeJob('announce expiring keys', 10 * MINUTE, () => announceKeys(deps)),
  // Code that adds to a queue wakes its worker. These jobs are for retries, and for nodes that stopped before they could wake a worker.
  nodeJob('relay events', SECOND / 4, () => deps.relay.run()),
  nodeJob('answer as assistants', SECOND, () => deps.assistants.run()),
  nodeJob('deliver to webhooks', SECOND, () => deps.webhooks.run()),
  nodeJob('read uploaded documents', SECOND, () => deps.uploads.run()),
  nodeJob('synchronise sources of knowledge', 10 * SECOND, () => deps.sources.run()),
  nodeJob('change the access lists of sources', SECOND, async () => {
    while (await relabelDocumentsOfSources(deps.db, RELABEL_BATCH));
  }),
  nodeJob('send e-mail to operators', SECOND, () => deps.mail.run()),
  // The request that erases a user erases its content; this job repeats it for content that was stored at the same time, and after errors.
  nodeJob('finish erasures of users', MINUTE, () => finishErasures(deps.db, deps.clock.now())),
  nodeJob('measure queues', 10 * SECOND, () => deps.queueMeter.run()),
  { name: 'check readiness', everyMs: 10 * SECOND, run: () => deps.readiness.report() },
  nodeJob('merge changes into the search index', SECOND, async () => {
    while (await mergePending(deps.db, INDEX_BATCH.merged));
    while (await purgeRemoved(deps.db, INDEX_BATCH.removed));
  }),
  nodeJob('share partitions of rare access lists', MINUTE, () => shareSmallPartitions(deps.db)),
  // Texts that an older tokenizer has indexed.
  nodeJob('store words of older messages', MINUTE, () => untilNone(() => fillMessageWords(deps.db, REINDEX_BATCH.messages))),
  nodeJob('index older documents and memories again', MINUTE, () =>
    untilNone(() => reindexOutdated(deps.db, LOAD_ENTRIES, REINDEX_BATCH.entries)),
  ),
  ...(deps.maintenance ? maintenanceJobs(deps.maintenance) : []),
]

const resealJob = (job: ResealJob): Job => ({
  name: 'seal values of old secret keys again',
  everyMs: SECOND,
  run: () => job.run(),
})

const maintenanceJobs = (maintenance: DatabaseMaintenance): Job[] => [
  { name: 'checkpoint of the embedded database', everyMs: MINUTE, run: () => maintenance.checkpoint() },
  { name: 'vacuum of the embedded database', everyMs: HOUR, run: () => maintenance.vacuum() },
]

async function untilNone(work: () => Promise<number>): Promise<void> {
  while ((await work()) > 0);
}

async function announceAllOverdue({ db, clock, relay }: Deps): Promise<void> {
  const targets = new Map((await listReviewTargets(db)).map(({ workspaceId, minutes }) => [workspaceId, minutes]))
  await runForEach([...targets.keys()], async (workspaceId) => {
    const now = clock.now()
    const before = new Date(now.getTime() - (targets.get(workspaceId) ?? 0) * MINUTE)
    const announce = (most: number) => db.transaction().execute((tx) => announceOverdue(tx, workspaceId, { now, before, most }))
    await inBatches(ANNOUNCEMENT_BATCH, announce)
  })
  relay.wake()
}

async function announceKeys({ db, clock, relay }: Deps): Promise<void> {
  const announce = (most: number) => db.transaction().execute((tx) => announceExpiringKeys(tx, clock.now(), most))
  await inBatches(ANNOUNCEMENT_BATCH, announce)
  relay.wake()
}

/** Large documents of deleted collections become versions that have expired. */
async function removeKnowledge(db: Db): Promise<void> {
  do while (await sweepVersions(db, CHUNK_BATCH));
  while (await sweepCollections(db, CHUNK_BATCH))
}

/** Expired data cannot be read, because reads compare the clock. These jobs remove it. */
function removalJobs(deps: Deps): Job[] {
  const { db, clock, files } = deps
  const before = (ms: number): Date => new Date(clock.now().getTime() - ms)
  return [
    nodeJob('erase content of expired reviews', MINUTE, () =>
      inBatches(500, (most) => eraseExpiredReviews(db, clock.now(), most)),
    ),
    nodeJob('remove expired holds of messages', MINUTE, () =>
      inBatches(500, (most) => removeExpiredHolds(db, clock.now(), most)),
    ),
    nodeJob('remove expired memories', MINUTE, () => inBatches(500, (most) => removeExpired(db, clock.now(), most))),
    nodeJob('remove expired responses', 10 * MINUTE, () => removeResponses(deps)),
    nodeJob('remove deleted collections', 30 * SECOND, () => removeKnowledge(db)),
    nodeJob('remove files of failed uploads', HOUR, () =>
      inBatches(100, (most) => removeFailedUploads(db, before(FAILED_UPLOAD_MS), most)),
    ),
    nodeJob('remove parts of files without an upload', HOUR, () =>
      inBatches(10, (most) => removeUnusedParts(db, before(HOUR), most)),
    ),
    nodeJob('prune events and deliveries', HOUR, () => pruneEvents(db, before)),
    nodeJob('remove old idempotency keys', MINUTE, () => inBatches(500, (most) => deleteExpiredKeys(db, clock.now(), most))),
    nodeJob('remove unused limits', 5 * MINUTE, () => inBatches(5_000, (most) => removeIdleQuotas(db, most))),
    nodeJob('remove files', 10 * SECOND, () => inBatches(100, (most) => removeDueFiles(db, files, clock.now(), most))),
    nodeJob('remove unsent uploads', 10 * MINUTE, () => removeUploads(deps, before(UNSENT_MS))),
    nodeJob('end message retention', HOUR, () => endMessageRetention(deps)),
    nodeJob('remove expired sessions', HOUR, () => removeExpiredSignIns(db, clock.now())),
  ]
}

async function removeResponses({ db, clock }: Deps): Promise<void> {
  for (const ids of await listStoringApplications(db)) {
    const application = await findApplication(db, ids.workspaceId, ids.applicationId)
    if (!application) continue
    const expired = expiryLimit(application, clock.now())
    await inBatches(100, (most) => removeExpiredResponses(db, ids, expired, most))
  }
}

async function pruneEvents(db: Db, before: (ms: number) => Date): Promise<void> {
  await inBatches(EVENT_BATCH, (most) => pruneEventLog(db, before(EVENT_LOG_MS), most))
  for (const state of ['delivered', 'dead'] as const) {
    await inBatches(EVENT_BATCH, (most) => removeEndedDeliveries(db, state, before(DELIVERIES_MS[state]), most))
  }
}

async function removeUploads({ db, clock, files }: Deps, before: Date): Promise<void> {
  await inBatches(500, (most) => removeUnsentUploads(db, before, clock.now(), most))
  await removeStaleUploads(files.incoming, clock.now())
}

async function endMessageRetention({ db, clock }: Deps): Promise<void> {
  await deleteExpiredOfConversations(db, clock.now())
  await runForEach(await listWorkspaceIds(db), async (workspaceId) => {
    const days = (await findWorkspace(db, workspaceId))?.settings.message_retention_days ?? null
    if (days !== null) await deleteExpiredOfWorkspace(db, workspaceId, days, clock.now())
  })
}
