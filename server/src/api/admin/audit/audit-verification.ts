import type { Checkpoint } from '../../../domains/audit/checkpoints/checkpoint.ts'
import { stopSigning } from '../../../domains/audit/checkpoints/verified-seal.ts'
import { type AuditFault, FAULT_MESSAGES } from '../../../domains/audit/verify/chain-checker.ts'
import { type Verification, verifyWorkspace } from '../../../domains/audit/verify/verify.ts'
import { KeysUnreadableError } from '../../../domains/audit/workspace-keys.ts'
import { findWorkspace } from '../../../domains/identity/workspace-store.ts'
import { GatehouseError } from '../../../errors.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { invalid, requireFound } from '../../../shared/request-errors.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { VerificationView } from './audit-shapes.ts'

/** Longer audit logs are verified on the command line. */
const MAX_MS = 60_000
const MAX_RUNNING = 4

/** Verifies audit logs. Simultaneous requests for the same log share one verification, because it reads the whole log. */
export function createAuditVerifier(deps: AdminDeps) {
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

async function verifyLog(
  { db, workspaceKeys, auditWatch }: AdminDeps,
  workspaceId: string,
  kept?: Checkpoint,
): Promise<Verification> {
  requireFound(await findWorkspace(db, workspaceId), 'Workspace')
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

const verificationView = (verification: Verification) =>
  viewOf(VerificationView, verification, {
    accepted_through: verification.acceptedThrough ?? 0,
    waiting: verification.waiting ?? 0,
    first_bad: verification.firstFault ? toFaultView(verification.firstFault) : null,
  })

export const toFaultView = ({ sequence, through, id, reason }: AuditFault) => ({
  sequence,
  ...(through !== undefined && { through }),
  id,
  reason,
  message: FAULT_MESSAGES[reason],
})
