import { findWorkspace } from '../applications/workspace-store.ts'
import { type Bad, FAULTS } from '../audit/chain-checker.ts'
import type { Checkpoint } from '../audit/checkpoint.ts'
import { type Verification, verifyWorkspace } from '../audit/verify.ts'
import { stopSigning } from '../audit/vouching.ts'
import type { AuditWatch } from '../audit/watch.ts'
import { KeysUnreadable, type WorkspaceKeys } from '../audit/workspace-keys.ts'
import type { Db } from '../db/database.ts'
import { GatehouseError } from '../errors.ts'
import type { Cache } from '../lib/cache.ts'
import { type Clock, elapsed } from '../lib/clock.ts'
import { invalid, notFound } from './refusals.ts'

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly workspaceKeys: Cache<WorkspaceKeys>
  readonly auditWatch: AuditWatch
}

/** Longest time; a log that takes longer is for the command line. */
const MAX_MS = 60_000
/** Verifications under way on this node. */
const MAX_RUNNING = 4
const DAY_MS = 86_400_000

/** Verifies logs on request. Reading one whole is work: who asks the same while it is done gets the same answer. */
export function auditVerification(deps: Deps) {
  const running = new Map<string, Promise<Verification>>()
  return async (workspaceId: string, kept: Checkpoint | undefined) => {
    if (kept && kept.workspace_id !== workspaceId) {
      throw invalid({ param: 'checkpoint.workspace_id', message: 'must be the Workspace that is verified' })
    }
    const key = JSON.stringify([workspaceId, kept ?? null])
    const known = running.get(key)
    if (!known && running.size >= MAX_RUNNING) {
      throw new GatehouseError('UNAVAILABLE', { message: 'Other logs are being verified; try again in a minute.' })
    }
    const result = known ?? verifyLog(deps, workspaceId, kept).finally(() => running.delete(key))
    running.set(key, result)
    return verificationView(await result)
  }
}

async function verifyLog(deps: Deps, workspaceId: string, kept?: Checkpoint): Promise<Verification> {
  const { db, clock, workspaceKeys, auditWatch } = deps
  const workspace = await findWorkspace(db, workspaceId)
  if (!workspace) throw notFound('Workspace')
  const keys = await workspaceKeys.get(workspaceId).catch(unreadable)
  if (!keys) return UNREADABLE
  const deadline = elapsed() + MAX_MS
  const verification = await verifyWorkspace(db, workspaceId, keys, {
    completeSince: new Date(clock.now().getTime() - workspace.settings.audit_retention_days * DAY_MS),
    ...(kept && { kept: [kept] }),
    onProgress: () => {
      if (elapsed() < deadline) return
      throw new GatehouseError('UNAVAILABLE', {
        message: 'The log is too long to be verified here: use `gatehouse audit verify` on the server.',
      })
    },
  }).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error
    throw invalid({ param: 'checkpoint', message: 'is older than what retention has kept' })
  })
  const bad = verification.firstBad
  // A checkpoint that the caller has brought can be altered itself: that says nothing about the log.
  if (bad && !kept) {
    await stopSigning(db, workspaceId, keys, bad)
    auditWatch.report(workspaceId, bad)
  }
  return verification
}

function unreadable(cause: unknown): undefined {
  if (!(cause instanceof KeysUnreadable)) throw cause
}

const KEYS: Bad = { sequence: 0, id: null, reason: 'keys_unreadable' }
const UNREADABLE: Verification = { ok: false, records: 0, checkpoints: 0, first: 1, signedThrough: 0, firstBad: KEYS }

const verificationView = ({ ok, records, checkpoints, first, signedThrough, acceptedThrough, firstBad }: Verification) => ({
  object: 'audit_verification' as const,
  ok,
  records,
  checkpoints,
  first,
  signed_through: signedThrough,
  accepted_through: acceptedThrough ?? 0,
  first_bad: firstBad ? badView(firstBad) : null,
})

/** What is wrong with a log, as operators see it. */
export const badView = ({ sequence, through, id, reason }: Bad) => ({
  sequence,
  ...(through !== undefined && { through }),
  id,
  reason,
  message: FAULTS[reason],
})
