import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { findRecord, searchRecords } from '../audit/audit-store.ts'
import { listCheckpoints } from '../audit/checkpoint-store.ts'
import { exportRecords } from '../audit/export.ts'
import { inclusionProof } from '../audit/proof.ts'
import { makeCheckpoint } from '../audit/sign-checkpoints.ts'
import { GatehouseError } from '../errors.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import {
  AUDIT_FILTER,
  AUDIT_QUERY,
  Checkpoint,
  Export,
  ProofView,
  PublicKey,
  RecordView,
  VerificationView,
} from './audit-shapes.ts'
import { auditVerification } from './audit-verification.ts'
import { bodyOptional } from './bodies.ts'
import { inWorkspace } from './operation.ts'
import { applicationIn, invalidCursor, listOf, PAGE, pageOf } from './paging.ts'
import { notFound } from './refusals.ts'
import { List, pathOf } from './shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the record, or the Workspace' }

const docs = {
  search: inWorkspace('searchAuditRecords', 'Audit records, newest first', {
    query: { ...PAGE, ...AUDIT_FILTER },
    answers: { 200: List(RecordView) },
  }),
  get: inWorkspace('getAuditRecordAsOperator', 'One audit record, of any Application', {
    query: {},
    params: pathOf('id'),
    answers: { 200: RecordView },
    errors: UNKNOWN,
  }),
  proof: inWorkspace('proveAuditRecord', 'Proof that a record is one of those that a checkpoint was signed over', {
    query: {},
    params: pathOf('id'),
    answers: { 200: ProofView },
    errors: { ...UNKNOWN, 409: 'CONFLICT: no checkpoint covers it yet; one is signed every minute' },
  }),
  checkpoints: inWorkspace('listAuditCheckpoints', 'Signed checkpoints, newest first', {
    query: PAGE,
    answers: { 200: Type.Object({ ...List(Checkpoint).properties, public_key: PublicKey }) },
  }),
  verify: inWorkspace('verifyAudit', 'Verify the whole log; tells the first bad record', {
    description:
      'With a checkpoint that was kept elsewhere it also finds that the newest records were removed. No body is needed without one.',
    query: {},
    body: Type.Object({ checkpoint: Type.Optional(Checkpoint) }),
    answers: { 200: VerificationView },
  }),
  export: inWorkspace('exportAudit', 'Export as JSON lines: a header, the records, the checkpoint over them', {
    description: 'From checkpoint to checkpoint, the smallest such range around `from` and `to`: it verifies by itself.',
    query: AUDIT_QUERY,
    answers: { 200: Export },
  }),
}

export function auditRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db, clock, workspaceKeys } = deps
  const verify = auditVerification(deps)

  app.get('/audit', { schema: docs.search }, async ({ workspaceId, query }) => {
    const { limit, after } = pageOf(query)
    const { hasher } = await workspaceKeys.get(workspaceId)
    const { user, verdict, risk_level: riskLevel, endpoint, status } = query
    const wanted = {
      applicationId: applicationIn(query),
      userHash: user === undefined ? undefined : hasher.user(user),
      verdict,
      riskLevel,
      endpoint,
      status,
      cursor: after === undefined ? undefined : sequenceIn(after),
    }
    const filter = { ...timesIn(query), ...present(wanted), limit }
    const { records, nextCursor } = await searchRecords(db, workspaceId, filter)
    return listOf({ data: records, hasMore: nextCursor !== null }, same, ({ integrity }) => String(integrity.sequence))
  })

  app.get('/audit/:id', { schema: docs.get }, async ({ workspaceId, params }) => {
    const record = await findRecord(db, { workspaceId }, params.id)
    if (!record) throw notFound('audit record')
    return record
  })

  app.get('/audit/:id/proof', { schema: docs.proof }, async ({ workspaceId, params }) => {
    const record = await findRecord(db, { workspaceId }, params.id)
    if (!record) throw notFound('audit record')
    const proof = await inclusionProof(db, workspaceId, params.id)
    if (!proof) throw new GatehouseError('CONFLICT', { message: 'No checkpoint covers this record yet; ask again in a minute.' })
    return { ...proof, record, public_key: (await workspaceKeys.get(workspaceId)).publicKey }
  })

  app.get('/audit/checkpoints', { schema: docs.checkpoints }, async ({ workspaceId, query }) => {
    const { limit, after } = pageOf(query)
    const page = await listCheckpoints(db, workspaceId, { limit, below: after === undefined ? undefined : sequenceIn(after) })
    const { publicKey } = await workspaceKeys.get(workspaceId)
    return { ...listOf(page, same, ({ size }) => String(size)), public_key: publicKey }
  })

  app.post('/audit/verify', { schema: docs.verify, preValidation: bodyOptional }, async ({ workspaceId, body }) =>
    verify(workspaceId, body.checkpoint),
  )

  app.get('/audit/export', { schema: docs.export }, async (request, reply) => {
    const { workspaceId, query, log } = request
    // So that the newest records are in it; a log that cannot be signed any more is exported as far as it was.
    const keys = await workspaceKeys.get(workspaceId)
    await makeCheckpoint(db, workspaceId, keys, clock.now()).catch((err: unknown) =>
      log.error({ err }, 'no checkpoint for the export'),
    )
    reply.header('content-disposition', `attachment; filename="audit-${workspaceId}.ndjson"`)
    return reply.type('application/x-ndjson').send(Readable.from(lines(exportRecords(db, workspaceId, timesIn(query)))))
  })
}

/** Without the fields that are undefined. */
const present = <T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }

const same = <T>(item: T): T => item

/** The place in the chain where the page before ended. */
function sequenceIn(key: string): number {
  if (!/^[1-9]\d{0,14}$/.test(key)) throw invalidCursor()
  return Number(key)
}

const timesIn = ({ from, to }: { from?: string; to?: string }) => ({
  ...(from !== undefined && { from: new Date(from) }),
  ...(to !== undefined && { to: new Date(to) }),
})

async function* lines(items: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const item of items) yield `${item}\n`
}
