import { findRecord } from '../../../domains/audit/audit-store.ts'
import type { ChainOverdue } from '../../../domains/audit/chain/chain-pending.ts'
import { createInclusionProof } from '../../../domains/audit/checkpoints/proof.ts'
import { searchRecords, sortRecords } from '../../../domains/audit/search-records.ts'
import type { WorkspaceKeys } from '../../../domains/audit/workspace-keys.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { Cache } from '../../../platform/lib/cache.ts'
import { requireFound } from '../../../shared/request-errors.ts'
import { List, listUntil, PAGE } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { inWorkspace } from '../kit/operation.ts'
import { formatPlace, startOf, toRecordFilter, toRecordSort } from './audit-query.ts'
import { AUDIT_FILTER, AUDIT_SORT, ProofView } from './audit-shapes.ts'
import { RecordView } from './record-shape.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the record, or the Workspace' }

const docs = {
  search: inWorkspace('GET /audit', 'searchAuditRecords', 'List audit records, newest first', {
    scope: 'audit:read',
    query: { ...PAGE, ...AUDIT_FILTER, ...AUDIT_SORT },
    answers: { 200: List(RecordView) },
  }),
  get: inWorkspace('GET /audit/:id', 'getAuditRecordAsOperator', 'Get an audit record of any Application', {
    scope: 'audit:read',
    answers: { 200: RecordView },
    errors: UNKNOWN,
  }),
  proof: inWorkspace('GET /audit/:id/proof', 'proveAuditRecord', 'Get the proof that a checkpoint covers an audit record', {
    scope: 'audit:read',
    answers: { 200: ProofView },
    errors: { ...UNKNOWN, 409: 'CONFLICT: no checkpoint covers the record yet. One is signed every minute' },
  }),
}

interface Deps {
  readonly db: Db
  readonly reads: Reads
  readonly workspaceKeys: Cache<WorkspaceKeys>
  readonly chainOverdue: ChainOverdue
}

export function auditRoutes(app: TypedApp, { db, reads, workspaceKeys, chainOverdue }: Deps): void {
  handle(app, docs.search, async ({ workspaceId, query }) => {
    const { hasher } = await workspaceKeys.get(workspaceId)
    await chainOverdue(workspaceId)
    const filter = toRecordFilter(query, hasher)
    const sort = toRecordSort(query)
    if (sort) {
      const { end, ...page } = await reads.run((readDb) => sortRecords(readDb, workspaceId, filter, sort))
      return listUntil(page, (record) => record, end && formatPlace(end))
    }
    const newest = { ...filter, ...startOf(query) }
    const { end, ...page } = await reads.run((readDb) => searchRecords(readDb, workspaceId, newest))
    return listUntil(page, (record) => record, end === undefined ? undefined : String(end))
  })

  handle(app, docs.get, async ({ workspaceId, params }) => {
    await chainOverdue(workspaceId)
    return requireFound(await findRecord(db, { workspaceId }, params.id), 'audit record')
  })

  handle(app, docs.proof, async ({ workspaceId, params }) => {
    await chainOverdue(workspaceId)
    const record = requireFound(await findRecord(db, { workspaceId }, params.id), 'audit record')
    const proof = await createInclusionProof(db, workspaceId, params.id)
    if (!proof) throw new GatehouseError('CONFLICT', { message: 'No checkpoint covers this record yet. Try again in a minute.' })
    return { ...proof, record, public_key: (await workspaceKeys.get(workspaceId)).publicKey }
  })
}
