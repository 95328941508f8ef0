import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { listCheckpoints } from '../../../domains/audit/checkpoints/checkpoint-store.ts'
import { makeCheckpoint } from '../../../domains/audit/checkpoints/sign-checkpoints.ts'
import { exportRecords } from '../../../domains/audit/verify/export.ts'
import { bodyOptional } from '../../kit/bodies.ts'
import { asIs, List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { inWorkspace } from '../kit/operation.ts'
import { parseSequence, parseTimeRange } from './audit-query.ts'
import { AuditStateView, Checkpoint, Export, PublicKey, TIME_RANGE_QUERY, VerificationView } from './audit-shapes.ts'
import { createAuditVerifier, toFaultView } from './audit-verification.ts'

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
