import type { Logger } from 'pino'
import { findWorkspace } from '../applications/workspace-store.ts'
import { ADOPTED, type Adopted } from '../audit/adopt-log.ts'
import type { Bad } from '../audit/chain-checker.ts'
import type { CheckpointDelivery } from '../audit/outside/delivery.ts'
import { LogRereader, rereadStretch } from '../audit/reread.ts'
import { pruneRecords } from '../audit/retention.ts'
import { checkpointsDue, makeCheckpoint } from '../audit/sign-checkpoints.ts'
import { AuditTampered, describeBad, stopSigning } from '../audit/vouching.ts'
import type { AuditWatch } from '../audit/watch.ts'
import { KeysUnreadable, type WorkspaceKeys } from '../audit/workspace-keys.ts'
import type { Db } from '../db/database.ts'
import type { Cache } from '../lib/cache.ts'
import type { Clock } from '../lib/clock.ts'
import { eachOf, workspaceIds } from './each-workspace.ts'
import type { Job } from './jobs.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR
/** In 30 s, give or take a checkpoint's worth: a million in about eight hours, for less than 0.5 % of a core. */
const RECORDS_PER_REREADING = 1_000

export interface AuditJobDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
  readonly workspaceKeys: Cache<WorkspaceKeys>
  readonly auditWatch: AuditWatch
  /** To each place outside. */
  readonly checkpointDeliveries: readonly CheckpointDelivery[]
}

export const auditJobs = (deps: AuditJobDeps): Job[] => [
  { name: 'sign audit checkpoints', everyMs: 5 * SECOND, run: () => signCheckpoints(deps) },
  { name: 'check audit logs', everyMs: 30 * SECOND, run: () => checkAuditLogs(deps) },
  { name: 'read audit logs again', everyMs: 30 * SECOND, run: rereadEach(deps) },
  ...deps.checkpointDeliveries.map((delivery) => ({
    name: `write audit checkpoints outside (${delivery.state.place})`,
    everyMs: 5 * SECOND,
    run: () => deliverCheckpoints(deps, delivery),
  })),
  { name: 'end audit retention', everyMs: HOUR, run: () => endAuditRetention(deps) },
]

/** Only where the log is as this server has left it; what is wrong is told at each attempt. */
export async function signCheckpoints(deps: AuditJobDeps): Promise<void> {
  const { db, clock, workspaceKeys, log } = deps
  await eachOf(await checkpointsDue(db, clock.now()), async (workspaceId) => {
    if (await findTampering(deps, workspaceId)) return
    const keys = await workspaceKeys.get(workspaceId)
    const onAdopted = (adopted: Adopted) => log.info({ workspace_id: workspaceId, ...adopted }, ADOPTED)
    try {
      await makeCheckpoint(db, workspaceId, keys, clock.now(), onAdopted)
    } catch (cause) {
      if (!(cause instanceof AuditTampered)) throw cause
      deps.auditWatch.report(workspaceId, cause.bad)
      await stopSigning(db, workspaceId, keys, cause.bad)
      tell(log, workspaceId, cause.bad)
    }
  })
}

/** Every Workspace's, also where nothing is written. */
export async function checkAuditLogs(deps: AuditJobDeps): Promise<void> {
  const ids = await workspaceIds(deps.db)
  for (const id of deps.auditWatch.gone(ids)) {
    const bad = { sequence: 0, id: null, reason: 'workspace_missing' } as const
    deps.auditWatch.report(id, bad)
    tell(deps.log, id, bad)
  }
  await eachOf(ids, async (workspaceId) => void (await findTampering(deps, workspaceId)))
}

function rereadEach(deps: AuditJobDeps): () => Promise<void> {
  const rereader = new LogRereader()
  return () => rereadAuditLogs(deps, rereader)
}

/** What was changed in a record that a checkpoint covers shows only when the record is read. */
export async function rereadAuditLogs(deps: AuditJobDeps, rereader: LogRereader): Promise<void> {
  const { db, workspaceKeys, auditWatch, log } = deps
  const ids = (await workspaceIds(db)).filter((id) => !auditWatch.found.has(id))
  await rereader.run(ids, RECORDS_PER_REREADING, async (workspaceId, after) => {
    const stretch = await rereadStretch(db, workspaceId, await workspaceKeys.get(workspaceId), after)
    if (stretch?.bad) {
      auditWatch.suspect(workspaceId, stretch.bad)
      tell(log, workspaceId, stretch.bad)
    }
    return stretch
  })
}

/** Also those of a log that was tampered with: what was signed before is what convicts. */
async function deliverCheckpoints({ db, workspaceKeys }: AuditJobDeps, delivery: CheckpointDelivery): Promise<void> {
  await eachOf(await workspaceIds(db), async (workspaceId) => delivery.run(workspaceId, await workspaceKeys.get(workspaceId)))
}

async function endAuditRetention({ db, clock, workspaceKeys, auditWatch }: AuditJobDeps): Promise<void> {
  await eachOf(await workspaceIds(db), async (workspaceId) => {
    const workspace = await findWorkspace(db, workspaceId)
    if (!workspace || auditWatch.found.has(workspaceId)) return
    const now = clock.now()
    const before = new Date(now.getTime() - workspace.settings.audit_retention_days * DAY)
    await pruneRecords(db, workspaceId, { before, keys: await workspaceKeys.get(workspaceId), now })
  })
}

async function findTampering(deps: AuditJobDeps, workspaceId: string): Promise<Bad | undefined> {
  const { db, workspaceKeys, auditWatch, log } = deps
  try {
    const bad = await auditWatch.check(db, workspaceId, await workspaceKeys.get(workspaceId))
    if (bad) tell(log, workspaceId, bad)
    return bad
  } catch (cause) {
    if (!(cause instanceof KeysUnreadable)) throw cause
    const bad = { sequence: 0, id: null, reason: 'keys_unreadable' } as const
    auditWatch.report(workspaceId, bad)
    tell(log, workspaceId, bad)
    return bad
  }
}

/** Again at each check, so that it cannot be missed. */
function tell(log: Logger, workspaceId: string, bad: Bad): void {
  log.error(
    { workspace_id: workspaceId, reason: bad.reason, sequence: bad.sequence, record: bad.id },
    `the audit log was tampered with, and no checkpoint is signed: ${describeBad(bad)}`,
  )
}
