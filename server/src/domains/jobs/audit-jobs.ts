import type { Logger } from 'pino'
import type { Db } from '../../platform/db/database.ts'
import type { Cache } from '../../platform/lib/cache.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { archiveNextSegment, findArchivedSequence } from '../audit/archive/archive-log.ts'
import type { ArchivePlace } from '../audit/archive/archive-place.ts'
import { type ChainPendingDeps, chainPending, findWorkspacesWithAbandoned } from '../audit/chain/chain-pending.ts'
import { findWorkspacesDue, makeCheckpoint } from '../audit/checkpoints/sign-checkpoints.ts'
import { AuditTamperedError, describeFault, stopSigning } from '../audit/checkpoints/verified-seal.ts'
import type { AuditWatch } from '../audit/checkpoints/watch.ts'
import type { CheckpointDelivery } from '../audit/delivery/checkpoint-delivery.ts'
import { pruneRecords, type Retention } from '../audit/retention/retention.ts'
import { emptyExpiredMonths, findLongestWait } from '../audit/retention/retention-by-month.ts'
import type { RecentRecords } from '../audit/statistics/counted-record.ts'
import { findWorkspacesToRollUp, removeOldRollUps, rollUpRecords } from '../audit/statistics/roll-up.ts'
import type { AuditFault } from '../audit/verify/chain-checker.ts'
import { LogRereader, rereadNextRange } from '../audit/verify/reread.ts'
import { KeysUnreadableError, type WorkspaceKeys } from '../audit/workspace-keys.ts'
import { findWorkspace } from '../identity/workspace-store.ts'
import type { Job } from './jobs.ts'
import { listWorkspaceIds, runForEach } from './jobs.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Records that one run reads, rounded up to a checkpoint. A million records take about eight hours and less than 0.5 % of a core. */
const RECORDS_PER_RUN = 1_000

export interface AuditJobDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
  readonly workspaceKeys: Cache<WorkspaceKeys>
  readonly audit: ChainPendingDeps['audit']
  readonly auditWatch: AuditWatch
  readonly recentRecords: RecentRecords
  /** One for each place outside the database that receives checkpoints. */
  readonly checkpointDeliveries: readonly CheckpointDelivery[]
  readonly auditArchive: ArchivePlace | undefined
}

export const auditJobs = (deps: AuditJobDeps): Job[] => [
  { name: 'chain pending audit records', oncePerNode: true, everyMs: 2 * SECOND, run: () => chainAbandoned(deps) },
  { name: 'sign audit checkpoints', oncePerNode: true, everyMs: 5 * SECOND, run: () => signCheckpoints(deps) },
  // Each process knows the alarms that its requests show.
  { name: 'check audit logs', everyMs: 30 * SECOND, run: () => checkAuditLogs(deps) },
  { name: 'read audit logs again', oncePerNode: true, everyMs: 30 * SECOND, run: createRereadJob(deps) },
  ...deps.checkpointDeliveries.map((delivery) => ({
    name: `write audit checkpoints outside (${delivery.state.place})`,
    oncePerNode: true,
    everyMs: 5 * SECOND,
    run: () => deliverCheckpoints(deps, delivery),
  })),
  { name: 'archive the audit log', oncePerNode: true, everyMs: MINUTE, run: () => archiveAuditLogs(deps) },
  { name: 'count the usage of audit records', oncePerNode: true, everyMs: 2 * SECOND, run: () => countUsage(deps) },
  { name: 'end audit retention', oncePerNode: true, everyMs: HOUR, run: () => endAuditRetention(deps) },
]

/** Gives positions to the records of nodes that died between a commit and the position of its record. */
async function chainAbandoned(deps: AuditJobDeps): Promise<void> {
  await runForEach(await findWorkspacesWithAbandoned(deps), (workspaceId) => chainPending(deps, workspaceId))
}

/** Signs the logs in which no tampering is found. Tampering is logged at each attempt. */
export async function signCheckpoints(deps: AuditJobDeps): Promise<void> {
  const { db, clock, workspaceKeys, log } = deps
  await runForEach(await findWorkspacesDue(db, clock.now()), async (workspaceId) => {
    if (await findTampering(deps, workspaceId)) return
    const keys = await workspaceKeys.get(workspaceId)
    try {
      await makeCheckpoint(db, workspaceId, keys, clock)
    } catch (cause) {
      if (!(cause instanceof AuditTamperedError)) throw cause
      deps.auditWatch.report(workspaceId, cause.fault)
      await stopSigning(db, workspaceId, keys, cause.fault)
      logTampering(log, workspaceId, cause.fault)
    }
  })
}

/** Writes the segments of the logs that are due. A log with an alarm waits for the operator. */
async function archiveAuditLogs({ db, clock, workspaceKeys, auditWatch, auditArchive, log }: AuditJobDeps): Promise<void> {
  if (!auditArchive) return
  const ids = (await listWorkspaceIds(db)).filter((id) => !auditWatch.faults.has(id))
  await runForEach(ids, async (workspaceId) => {
    const keys = await workspaceKeys.get(workspaceId)
    try {
      while (await archiveNextSegment(db, auditArchive, workspaceId, { keys, now: clock.now() }));
    } catch (cause) {
      if (!(cause instanceof AuditTamperedError)) throw cause
      auditWatch.suspect(workspaceId, cause.fault)
      logTampering(log, workspaceId, cause.fault)
    }
  })
}

/** Adds new records to the counts of the usage. After an import it counts the records that are there already. */
async function countUsage({ db, clock, recentRecords }: Pick<AuditJobDeps, 'db' | 'clock' | 'recentRecords'>): Promise<void> {
  const recent = recentRecords.take()
  await runForEach(await findWorkspacesToRollUp(db), (workspaceId) =>
    rollUpRecords(db, workspaceId, { now: clock.now(), recent: recent.get(workspaceId) }),
  )
}

/** Checks the audit logs of all Workspaces, including those without new records. */
export async function checkAuditLogs(deps: AuditJobDeps): Promise<void> {
  const ids = await listWorkspaceIds(deps.db)
  for (const id of deps.auditWatch.findRemoved(ids)) {
    const fault = { sequence: 0, id: null, reason: 'workspace_missing' } as const
    deps.auditWatch.report(id, fault)
    logTampering(deps.log, id, fault)
  }
  await runForEach(ids, async (workspaceId) => void (await findTampering(deps, workspaceId)))
}

function createRereadJob(deps: AuditJobDeps): () => Promise<void> {
  const rereader = new LogRereader()
  return () => rereadAuditLogs(deps, rereader)
}

/** Reads some records of each log again: a change in a record that a checkpoint covers is not found in another way. */
export async function rereadAuditLogs(deps: AuditJobDeps, rereader: LogRereader): Promise<void> {
  const { db, workspaceKeys, auditWatch, log } = deps
  const ids = (await listWorkspaceIds(db)).filter((id) => !auditWatch.faults.has(id))
  await rereader.run(ids, RECORDS_PER_RUN, async (workspaceId, after) => {
    const range = await rereadNextRange(db, workspaceId, await workspaceKeys.get(workspaceId), after)
    if (range?.fault) {
      auditWatch.suspect(workspaceId, range.fault)
      logTampering(log, workspaceId, range.fault)
    }
    return range
  })
}

/** Also delivers the checkpoints of logs with tampering: those signed before it are the evidence. */
async function deliverCheckpoints({ db, workspaceKeys }: AuditJobDeps, delivery: CheckpointDelivery): Promise<void> {
  await runForEach(await listWorkspaceIds(db), async (workspaceId) =>
    delivery.run(workspaceId, await workspaceKeys.get(workspaceId)),
  )
}

/**
 * Chains what is pending and signs the log first: both compare records with those that they were sealed behind, which must still exist. A log
 * with an alarm keeps its records, which are evidence.
 */
async function prepareRetention(deps: AuditJobDeps, workspaceId: string): Promise<Retention | undefined> {
  const { db, clock, workspaceKeys, auditWatch, auditArchive } = deps
  const workspace = await findWorkspace(db, workspaceId)
  if (!workspace || auditWatch.faults.has(workspaceId)) return undefined
  const now = clock.now()
  const before = new Date(now.getTime() - workspace.settings.audit_retention_days * DAY)
  const keys = await workspaceKeys.get(workspaceId)
  await chainPending(deps, workspaceId, 0)
  await makeCheckpoint(db, workspaceId, keys, clock)
  const archived = auditArchive && (await findArchivedSequence(db, auditArchive, workspaceId, keys))
  return { before, keys, ...(archived !== undefined && { archived }) }
}

async function endAuditRetention(deps: AuditJobDeps): Promise<void> {
  const { db, clock } = deps
  const waitMs = await findLongestWait(db)
  await runForEach(await listWorkspaceIds(db), async (workspaceId) => {
    const retention = await prepareRetention(deps, workspaceId)
    if (!retention) return
    const before = new Date(retention.before.getTime() - waitMs)
    await pruneRecords(db, workspaceId, { ...retention, before, now: clock.now() })
    await removeOldRollUps(db, workspaceId, { before, now: clock.now() })
  })
  await emptyExpiredMonths(db, { findRetention: (workspaceId) => prepareRetention(deps, workspaceId), now: clock.now() })
}

async function findTampering(deps: AuditJobDeps, workspaceId: string): Promise<AuditFault | undefined> {
  const { db, workspaceKeys, auditWatch, log } = deps
  try {
    const fault = await auditWatch.check(db, workspaceId, await workspaceKeys.get(workspaceId))
    if (fault) logTampering(log, workspaceId, fault)
    return fault
  } catch (cause) {
    if (!(cause instanceof KeysUnreadableError)) throw cause
    const fault = { sequence: 0, id: null, reason: 'keys_unreadable' } as const
    auditWatch.report(workspaceId, fault)
    logTampering(log, workspaceId, fault)
    return fault
  }
}

/** Called at each check, so that operators notice it. */
function logTampering(log: Logger, workspaceId: string, fault: AuditFault): void {
  log.error(
    { workspace_id: workspaceId, reason: fault.reason, sequence: fault.sequence, record: fault.id },
    `the audit log was tampered with, and no checkpoint is signed: ${describeFault(fault)}`,
  )
}
