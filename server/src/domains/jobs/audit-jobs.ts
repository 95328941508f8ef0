import type { Logger } from 'pino'
import type { Clock } from '../../platform/lib/clock.ts'
import { archiveNextSegment, findArchivedSequence } from '../audit/archive/archive-log.ts'
import type { ArchivePlace } from '../audit/archive/archive-place.ts'
import { type ChainPendingDeps, chainPending, findWorkspacesWithAbandoned } from '../audit/chain/chain-pending.ts'
import { findWorkspacesDue, makeCheckpoint } from '../audit/checkpoints/sign-checkpoints.ts'
import { AuditTamperedError, describeFault, stopSigning } from '../audit/checkpoints/verified-seal.ts'
import type { AuditWatch } from '../audit/checkpoints/watch.ts'
import type { CheckpointDelivery } from '../audit/delivery/checkpoint-delivery.ts'
import { pruneRecords, type Retention } from '../audit/retention.ts'
import type { RecentRecords } from '../audit/statistics/counted-record.ts'
import { findWorkspacesToRollUp, removeOldRollUps, rollUpRecords } from '../audit/statistics/roll-up.ts'
import { type AuditFault, faultAt } from '../audit/verify/chain-checker.ts'
import { LogRereader, rereadNextRange } from '../audit/verify/reread.ts'
import { KeysUnreadableError } from '../audit/workspace-keys.ts'
import { findWorkspace } from '../identity/workspace-store.ts'
import { DAY, HOUR, type Job, listWorkspaceIds, MINUTE, nodeJob, runForEach, SECOND } from './jobs.ts'

/** Records that one run reads, rounded up to a checkpoint. A million records take about eight hours and less than 0.5 % of a core. */
const RECORDS_PER_RUN = 1_000

export interface AuditJobDeps extends ChainPendingDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly auditWatch: AuditWatch
  readonly recentRecords: RecentRecords
  readonly checkpointDeliveries: readonly CheckpointDelivery[]
  readonly auditArchive: ArchivePlace | undefined
}

export function auditJobs(deps: AuditJobDeps): Job[] {
  const rereader = new LogRereader()
  return [
    nodeJob('chain pending audit records', 2 * SECOND, async () =>
      runForEach(await findWorkspacesWithAbandoned(deps), (workspaceId) => chainPending(deps, workspaceId)),
    ),
    nodeJob('sign audit checkpoints', 5 * SECOND, () => signCheckpoints(deps)),
    // Each process knows the alarms that its requests show.
    { name: 'check audit logs', everyMs: 30 * SECOND, run: () => checkAuditLogs(deps) },
    nodeJob('read audit logs again', 30 * SECOND, () => rereadAuditLogs(deps, rereader)),
    ...deps.checkpointDeliveries.map((delivery) =>
      nodeJob(`write audit checkpoints outside (${delivery.state.place})`, 5 * SECOND, () => deliverCheckpoints(deps, delivery)),
    ),
    nodeJob('archive the audit log', MINUTE, () => archiveAuditLogs(deps)),
    nodeJob('count the usage of audit records', 2 * SECOND, () => countUsage(deps)),
    nodeJob('end audit retention', HOUR, () => endAuditRetention(deps)),
  ]
}

/** Signs the logs in which no tampering is found. Tampering is logged at each attempt. */
export async function signCheckpoints(deps: AuditJobDeps): Promise<void> {
  const { db, clock, workspaceKeys } = deps
  await runForEach(await findWorkspacesDue(db, clock.now()), async (workspaceId) => {
    if (await findTampering(deps, workspaceId)) return
    const keys = await workspaceKeys.get(workspaceId)
    try {
      await makeCheckpoint(db, workspaceId, keys, clock)
    } catch (cause) {
      if (!(cause instanceof AuditTamperedError)) throw cause
      await stopSigning(db, workspaceId, keys, reportFault(deps, workspaceId, cause.fault))
    }
  })
}

/** Writes the segments of the logs that are due. A log with an alarm waits for the operator. */
async function archiveAuditLogs(deps: AuditJobDeps): Promise<void> {
  const { db, clock, workspaceKeys, auditArchive } = deps
  if (!auditArchive) return
  await runForEach(await listIntact(deps), async (workspaceId) => {
    const keys = await workspaceKeys.get(workspaceId)
    try {
      while (await archiveNextSegment(db, auditArchive, workspaceId, { keys, now: clock.now() }));
    } catch (cause) {
      if (!(cause instanceof AuditTamperedError)) throw cause
      reportFault(deps, workspaceId, cause.fault, 'suspect')
    }
  })
}

async function countUsage({ db, clock, recentRecords }: AuditJobDeps): Promise<void> {
  const recent = recentRecords.take()
  await runForEach(await findWorkspacesToRollUp(db), (workspaceId) =>
    rollUpRecords(db, workspaceId, { now: clock.now(), recent: recent.get(workspaceId) }),
  )
}

export async function checkAuditLogs(deps: AuditJobDeps): Promise<void> {
  const ids = await listWorkspaceIds(deps.db)
  for (const id of deps.auditWatch.findRemoved(ids)) reportFault(deps, id, faultAt('workspace_missing', 0))
  await runForEach(ids, (workspaceId) => findTampering(deps, workspaceId))
}

/** Reads some records of each log again: a change in a record that a checkpoint covers is not found in another way. */
export async function rereadAuditLogs(deps: AuditJobDeps, rereader: LogRereader): Promise<void> {
  const { db, workspaceKeys } = deps
  await rereader.run(await listIntact(deps), RECORDS_PER_RUN, async (workspaceId, after) => {
    const range = await rereadNextRange(db, workspaceId, await workspaceKeys.get(workspaceId), after)
    if (range?.fault) reportFault(deps, workspaceId, range.fault, 'suspect')
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
  await runForEach(await listWorkspaceIds(db), async (workspaceId) => {
    const retention = await prepareRetention(deps, workspaceId)
    if (!retention) return
    await pruneRecords(db, workspaceId, { ...retention, now: clock.now() })
    await removeOldRollUps(db, workspaceId, { before: retention.before, now: clock.now() })
  })
}

async function findTampering(deps: AuditJobDeps, workspaceId: string): Promise<AuditFault | undefined> {
  const { db, workspaceKeys, auditWatch, log } = deps
  try {
    const fault = await auditWatch.check(db, workspaceId, await workspaceKeys.get(workspaceId))
    if (fault) logTampering(log, workspaceId, fault)
    return fault
  } catch (cause) {
    if (!(cause instanceof KeysUnreadableError)) throw cause
    return reportFault(deps, workspaceId, faultAt('keys_unreadable', 0))
  }
}

const listIntact = async ({ db, auditWatch }: AuditJobDeps): Promise<string[]> =>
  (await listWorkspaceIds(db)).filter((id) => !auditWatch.faults.has(id))

function reportFault(
  { auditWatch, log }: AuditJobDeps,
  workspaceId: string,
  fault: AuditFault,
  how: 'report' | 'suspect' = 'report',
): AuditFault {
  auditWatch[how](workspaceId, fault)
  logTampering(log, workspaceId, fault)
  return fault
}

/** Called at each check, so that operators notice it. */
function logTampering(log: Logger, workspaceId: string, fault: AuditFault): void {
  log.error(
    { workspace_id: workspaceId, reason: fault.reason, sequence: fault.sequence, record: fault.id },
    `the audit log was tampered with, and no checkpoint is signed: ${describeFault(fault)}`,
  )
}
