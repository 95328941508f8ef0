import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { ADOPTED, type Adopted } from '../audit/adopt-log.ts'
import { listCheckpoints } from '../audit/checkpoint-store.ts'
import { exportRecords } from '../audit/export.ts'
import { makeCheckpoint } from '../audit/sign-checkpoints.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { sequenceIn, timesIn } from './audit-query.ts'
import { AUDIT_QUERY, AuditStateView, Checkpoint, Export, PublicKey, VerificationView } from './audit-shapes.ts'
import { auditVerification, badView } from './audit-verification.ts'
import { bodyOptional } from './bodies.ts'
import { inWorkspace } from './operation.ts'
import { listOf, PAGE, pageOf } from './paging.ts'
import { List } from './shapes.ts'

const docs = {
  checkpoints: inWorkspace('listAuditCheckpoints', 'Signed checkpoints, newest first', {
    scope: 'audit:read',
    query: PAGE,
    answers: { 200: Type.Object({ ...List(Checkpoint).properties, public_key: PublicKey }) },
  }),
  verify: inWorkspace('verifyAudit', 'Verify the whole log; tells the first bad record', {
    scope: 'audit:write',
    description:
      'With a checkpoint that was kept elsewhere it also finds that the newest records were removed. No body is needed without one.',
    query: {},
    body: Type.Object({ checkpoint: Type.Optional(Checkpoint) }),
    answers: { 200: VerificationView },
  }),
  state: inWorkspace('getAuditState', 'Whether the log was tampered with, as far as the node that answers has found', {
    scope: 'audit:read',
    query: {},
    answers: { 200: AuditStateView },
  }),
  export: inWorkspace('exportAudit', 'Export as JSON lines: a header, the records, the checkpoint over them', {
    scope: 'audit:write',
    description: 'From checkpoint to checkpoint, the smallest such range around `from` and `to`: it verifies by itself.',
    query: AUDIT_QUERY,
    answers: { 200: Export },
  }),
}

/** The log as a whole, as audit-routes.ts has its records. */
export function auditLogRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db, clock, workspaceKeys } = deps
  const verify = auditVerification(deps)

  app.get('/audit/checkpoints', { schema: docs.checkpoints }, async ({ workspaceId, query }) => {
    const { limit, after } = pageOf(query)
    const page = await listCheckpoints(db, workspaceId, { limit, below: after === undefined ? undefined : sequenceIn(after) })
    const { publicKey } = await workspaceKeys.get(workspaceId)
    return {
      ...listOf(
        page,
        (checkpoint) => checkpoint,
        ({ size }) => String(size),
      ),
      public_key: publicKey,
    }
  })

  app.post('/audit/verify', { schema: docs.verify, preValidation: bodyOptional }, async ({ workspaceId, body }) =>
    verify(workspaceId, body.checkpoint),
  )

  app.get('/audit/state', { schema: docs.state }, async ({ workspaceId }) => {
    const bad = deps.auditWatch.found.get(workspaceId)
    return { object: 'audit_state', ok: bad === undefined, first_bad: bad ? badView(bad) : null }
  })

  app.get('/audit/export', { schema: docs.export }, async (request, reply) => {
    const { workspaceId, query, log } = request
    // So that the newest records are in it; a log that cannot be signed any more is exported as far as it was.
    const keys = await workspaceKeys.get(workspaceId)
    const onAdopted = (adopted: Adopted) => log.info({ workspace_id: workspaceId, ...adopted }, ADOPTED)
    await makeCheckpoint(db, workspaceId, keys, clock.now(), onAdopted).catch((err: unknown) =>
      log.error({ err }, 'no checkpoint for the export'),
    )
    reply.header('content-disposition', `attachment; filename="audit-${workspaceId}.ndjson"`)
    return reply.type('application/x-ndjson').send(Readable.from(lines(exportRecords(db, workspaceId, timesIn(query)))))
  })
}

async function* lines(items: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const item of items) yield `${item}\n`
}
