import { findRecord, searchRecords } from '../audit/audit-store.ts'
import { inclusionProof } from '../audit/proof.ts'
import { GatehouseError } from '../errors.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { recordFilter } from './audit-query.ts'
import { AUDIT_FILTER, ProofView, RecordView } from './audit-shapes.ts'
import { inWorkspace } from './operation.ts'
import { listOf, PAGE } from './paging.ts'
import { notFound } from './refusals.ts'
import { List, pathOf } from './shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the record, or the Workspace' }

const docs = {
  search: inWorkspace('searchAuditRecords', 'Audit records, newest first', {
    scope: 'audit:read',
    query: { ...PAGE, ...AUDIT_FILTER },
    answers: { 200: List(RecordView) },
  }),
  get: inWorkspace('getAuditRecordAsOperator', 'One audit record, of any Application', {
    scope: 'audit:read',
    query: {},
    params: pathOf('id'),
    answers: { 200: RecordView },
    errors: UNKNOWN,
  }),
  proof: inWorkspace('proveAuditRecord', 'Proof that a record is one of those that a checkpoint was signed over', {
    scope: 'audit:read',
    query: {},
    params: pathOf('id'),
    answers: { 200: ProofView },
    errors: { ...UNKNOWN, 409: 'CONFLICT: no checkpoint covers it yet; one is signed every minute' },
  }),
}

export function auditRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db, workspaceKeys } = deps

  app.get('/audit', { schema: docs.search }, async ({ workspaceId, query }) => {
    const { hasher } = await workspaceKeys.get(workspaceId)
    const { records, nextCursor } = await searchRecords(db, workspaceId, recordFilter(query, hasher))
    return listOf(
      { data: records, hasMore: nextCursor !== null },
      (record) => record,
      ({ integrity }) => String(integrity.sequence),
    )
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
}
