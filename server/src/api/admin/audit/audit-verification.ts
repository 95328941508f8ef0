import type { Checkpoint } from '../../../domains/audit/checkpoints/checkpoint.ts'
import { stopSigning } from '../../../domains/audit/checkpoints/verified-seal.ts'
import type { AuditWatch } from '../../../domains/audit/checkpoints/watch.ts'
import { type AuditFault, FAULT_MESSAGES } from '../../../domains/audit/verify/chain-checker.ts'
import { type Verification, verifyWorkspace } from '../../../domains/audit/verify/verify.ts'
import { KeysUnreadableError, type WorkspaceKeys } from '../../../domains/audit/workspace-keys.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { Cache } from '../../../platform/lib/cache.ts'
import { type Clock, elapsed } from '../../../platform/lib/clock.ts'
import { invalid, notFound } from '../../../shared/request-errors.ts'

export interface VerificationDeps {
  readonly db: Db
  readonly reads: Reads
  readonly clock: Clock
  readonly workspaceKeys: Cache<WorkspaceKeys>
  readonly auditWatch: AuditWatch
  /** Retention in days; undefined if the Workspace does not exist. */
  readonly hasWorkspace: (workspaceId: string) => Promise<boolean>
}

/** Time limit. Longer audit logs are verified on the command line. */
const MAX_MS = 60_000
/** Maximum number of verifications in progress on this node. */
const MAX_RUNNING = 4

/** Verifies audit logs. Simultaneous requests for the same log share one verification, because it reads the whole log. */
export function createAuditVerifier(deps: VerificationDeps) {
  const running = new Map<string, Promise<Verification>>()
  return async (workspaceId: string, kept: Checkpoint | undefined) => {
    if (kept && kept.workspace_id !== workspaceId) {
      throw invalid({ param: 'checkpoint.workspace_id', message: 'must be the Workspace of the request' })
    }
    const key = JSON.stringify([workspaceId, kept ?? null])
    const known = running.get(key)
    if (!known && running.size >= MAX_RUNNING) {
      throw new GatehouseError('UNAVAILABLE', { message: 'Other audit logs are being verified. Try again in a minute.' })
    }
    const result = known ?? verifyLog(deps, workspaceId, kept).finally(() => running.delete(key))
    running.set(key, result)
    return verificationView(await result)
  }
}

async function verifyLog(deps: VerificationDeps, workspaceId: string, kept?: Checkpoint): Promise<Verification> {
  const { db, workspaceKeys, auditWatch } = deps
  if (!(await deps.hasWorkspace(workspaceId))) throw notFound('Workspace')
  const keys = await workspaceKeys.get(workspaceId).catch(unreadable)
  if (!keys) return UNREADABLE
  const deadline = elapsed() + MAX_MS
  const verification = await verifyWorkspace(db, workspaceId, keys, {
    ...(kept && { kept: [kept] }),
    onProgress: () => {
      if (elapsed() < deadline) return
      throw new GatehouseError('UNAVAILABLE', {
        message: 'The audit log is too long for this endpoint. Run `gatehouse audit verify` on the server.',
      })
    },
  }).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error
    throw invalid({ param: 'checkpoint', message: 'is older than the records that retention kept' })
  })
  const fault = verification.firstFault
  // A checkpoint in the request may itself be altered, which says nothing about the audit log.
  if (fault && !kept) {
    await stopSigning(db, workspaceId, keys, fault)
    auditWatch.report(workspaceId, fault)
  }
  return verification
}

function unreadable(cause: unknown): undefined {
  if (!(cause instanceof KeysUnreadableError)) throw cause
}

const KEYS: AuditFault = { sequence: 0, id: null, reason: 'keys_unreadable' }
const UNREADABLE: Verification = { ok: false, records: 0, checkpoints: 0, first: 1, signedThrough: 0, firstFault: KEYS }

const verificationView = ({
  ok,
  records,
  checkpoints,
  first,
  signedThrough,
  acceptedThrough,
  waiting,
  firstFault,
}: Verification) => ({
  object: 'audit_verification' as const,
  ok,
  records,
  checkpoints,
  first,
  signed_through: signedThrough,
  accepted_through: acceptedThrough ?? 0,
  waiting: waiting ?? 0,
  first_bad: firstFault ? toFaultView(firstFault) : null,
})

/** The problem of an audit log, for operators. */
export const toFaultView = ({ sequence, through, id, reason }: AuditFault) => ({
  sequence,
  ...(through !== undefined && { through }),
  id,
  reason,
  message: FAULT_MESSAGES[reason],
})
