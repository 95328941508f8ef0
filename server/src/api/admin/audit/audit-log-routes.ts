import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Checkpoint as StoredCheckpoint } from '../../../domains/audit/checkpoints/checkpoint.ts'
import { listCheckpoints } from '../../../domains/audit/checkpoints/checkpoint-store.ts'
import { makeCheckpoint } from '../../../domains/audit/checkpoints/sign-checkpoints.ts'
import { stopSigning } from '../../../domains/audit/checkpoints/verified-seal.ts'
import { type AuditFault, FAULT_MESSAGES } from '../../../domains/audit/verify/chain-checker.ts'
import { exportRecords } from '../../../domains/audit/verify/export.ts'
import { type Verification, verifyWorkspace } from '../../../domains/audit/verify/verify.ts'
import { KeysUnreadableError } from '../../../domains/audit/workspace-keys.ts'
import { findWorkspace } from '../../../domains/identity/workspace-store.ts'
import { GatehouseError } from '../../../errors.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { invalid, requireFound } from '../../../shared/request-errors.ts'
import { bodyOptional } from '../../kit/bodies.ts'
import { asIs, List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { inWorkspace } from '../kit/operation.ts'
import { parseSequence, parseTimeRange } from './audit-query.ts'
import { AuditStateView, Checkpoint, Export, PublicKey, TIME_RANGE_QUERY, VerificationView } from './audit-shapes.ts'

const docs = {
  checkpoints: inWorkspace('GET /audit/checkpoints', 'listAuditCheckpoints', 'List signed checkpoints, newest first', {
    scope: 'audit:read',
    query: PAGE,
    answers: { 200: Type.Object({ ...List(Checkpoint).properties, public_key: PublicKey }) },
  }),
  verify: inWorkspace('POST /audit/verify', 'verifyAudit', 'Verify the audit log and find the first bad record', {
    scope: 'audit:write',
    description:
      'A checkpoint that was stored elsewhere also reveals that the newest records were removed. The body is optional.',
    body: Type.Object({ checkpoint: Type.Optional(Checkpoint) }),
    answers: { 200: VerificationView },
  }),
  state: inWorkspace('GET /audit/state', 'getAuditState', 'Get the state of the audit log as known to the node that responds', {
    scope: 'audit:read',
    answers: { 200: AuditStateView },
  }),
  export: inWorkspace(
    'GET /audit/export',
    'exportAudit',
    'Export audit records as JSON lines with the checkpoint that covers them',
    {
      scope: 'audit:write',
      description:
        'Exports the smallest range between two checkpoints that contains `from` to `to`. It can be verified on its own.',
      query: TIME_RANGE_QUERY,
      answers: { 200: Export },
    },
  ),
}

export function auditLogRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, reads, clock, workspaceKeys, chainOverdue } = deps
  const verify = createAuditVerifier(deps)

  handle(app, docs.checkpoints, async ({ workspaceId, query }) => {
    const { limit, after } = pageOf(query)
    const page = await listCheckpoints(db, workspaceId, { limit, below: after === undefined ? undefined : parseSequence(after) })
    const { publicKey } = await workspaceKeys.get(workspaceId)
    const list = listOf(page, asIs, ({ size }) => String(size))
    return { ...list, public_key: publicKey }
  })

  handle(app, { ...docs.verify, preValidation: bodyOptional }, async ({ workspaceId, body }) => {
    await chainOverdue(workspaceId)
    return verify(workspaceId, body.checkpoint)
  })

  handle(app, docs.state, async ({ workspaceId }) => {
    const fault = deps.auditWatch.faults.get(workspaceId)
    return { object: 'audit_state', ok: fault === undefined, first_bad: fault ? toFaultView(fault) : null }
  })

  handle(app, docs.export, async (request, reply) => {
    const { workspaceId, query, log } = request
    await chainOverdue(workspaceId)
    // The new checkpoint covers the newest records. If it cannot be signed, the export ends at the last checkpoint.
    const keys = await workspaceKeys.get(workspaceId)
    await makeCheckpoint(db, workspaceId, keys, clock).catch((err: unknown) => log.error({ err }, 'no checkpoint for the export'))
    reply.header('content-disposition', `attachment; filename="audit-${workspaceId}.ndjson"`)
    const exported = exportRecords(await reads.caughtUp(), workspaceId, parseTimeRange(query))
    return reply.type('application/x-ndjson').send(Readable.from(lines(exported)))
  })
}

async function* lines(items: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const item of items) yield `${item}\n`
}

/** Longer audit logs are verified on the command line. */
const MAX_MS = 60_000
const MAX_RUNNING = 4

/** Verifies audit logs. Simultaneous requests for the same log share one verification, because it reads the whole log. */
function createAuditVerifier(deps: AdminDeps) {
  const running = new Map<string, Promise<Verification>>()
  return async (workspaceId: string, kept: StoredCheckpoint | undefined) => {
    if (kept && kept.workspace_id !== workspaceId)
      throw invalid({ param: 'checkpoint.workspace_id', message: 'must be the Workspace of the request' })
    const key = JSON.stringify([workspaceId, kept ?? null])
    const known = running.get(key)
    if (!known && running.size >= MAX_RUNNING)
      throw new GatehouseError('UNAVAILABLE', { message: 'Other audit logs are being verified. Try again in a minute.' })
    const result = known ?? verifyLog(deps, workspaceId, kept).finally(() => running.delete(key))
    running.set(key, result)
    return verificationView(await result)
  }
}

async function verifyLog(
  { db, workspaceKeys, auditWatch }: AdminDeps,
  workspaceId: string,
  kept?: StoredCheckpoint,
): Promise<Verification> {
  requireFound(await findWorkspace(db, workspaceId), 'Workspace')
  const keys = await Promise.try(() => workspaceKeys.get(workspaceId)).catch(unreadable)
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

const toFaultView = ({ sequence, through, id, reason }: AuditFault) => ({
  sequence,
  ...(through !== undefined && { through }),
  id,
  reason,
  message: FAULT_MESSAGES[reason],
})
