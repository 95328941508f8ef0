import type { AdminApp } from '../../admin/kit/admin-app.ts'
import { inWorkspace } from '../../admin/kit/operation.ts'
import type { Db } from '../../db/database.ts'
import { GatehouseError } from '../../errors.ts'
import { List, listOf, PAGE } from '../../http/paging.ts'
import { notFound } from '../../http/refusals.ts'
import { pathOf } from '../../http/schemas.ts'
import type { Cache } from '../../lib/cache.ts'
import { findRecord, searchRecords } from '../audit-store.ts'
import { createInclusionProof } from '../proof.ts'
import type { WorkspaceKeys } from '../workspace-keys.ts'
import { toRecordFilter } from './audit-query.ts'
import { AUDIT_FILTER, ProofView, RecordView } from './audit-shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the record, or the Workspace' }

const docs = {
  search: inWorkspace('searchAuditRecords', 'List audit records, newest first', {
    scope: 'audit:read',
    query: { ...PAGE, ...AUDIT_FILTER },
    answers: { 200: List(RecordView) },
  }),
  get: inWorkspace('getAuditRecordAsOperator', 'Get an audit record of any Application', {
    scope: 'audit:read',
    query: {},
    params: pathOf('id'),
    answers: { 200: RecordView },
    errors: UNKNOWN,
  }),
  proof: inWorkspace('proveAuditRecord', 'Get the proof that a checkpoint covers an audit record', {
    scope: 'audit:read',
    query: {},
    params: pathOf('id'),
    answers: { 200: ProofView },
    errors: { ...UNKNOWN, 409: 'CONFLICT: no checkpoint covers the record yet. One is signed every minute' },
  }),
}

interface Deps {
  readonly db: Db
  readonly workspaceKeys: Cache<WorkspaceKeys>
}

export function auditRoutes(app: AdminApp, { db, workspaceKeys }: Deps): void {
  app.get('/audit', { schema: docs.search }, async ({ workspaceId, query }) => {
    const { hasher } = await workspaceKeys.get(workspaceId)
    return listOf(
      await searchRecords(db, workspaceId, toRecordFilter(query, hasher)),
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
    const proof = await createInclusionProof(db, workspaceId, params.id)
    if (!proof) throw new GatehouseError('CONFLICT', { message: 'No checkpoint covers this record yet. Try again in a minute.' })
    return { ...proof, record, public_key: (await workspaceKeys.get(workspaceId)).publicKey }
  })
}
