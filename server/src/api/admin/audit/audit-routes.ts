import { Readable } from 'node:stream'
import { type TSchema, Type } from 'typebox'
import { findRecord } from '../../../domains/audit/audit-store.ts'
import { createInclusionProof } from '../../../domains/audit/checkpoints/proof.ts'
import { type AuditRecord, sumCost, sumTokens } from '../../../domains/audit/record/record.ts'
import type { RecordFilter } from '../../../domains/audit/record-filter.ts'
import { searchRecords, sortRecords } from '../../../domains/audit/search-records.ts'
import { listActors } from '../../../domains/operators/actors.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import { csvCell } from '../../../platform/lib/csv.ts'
import { conflict, requireFound } from '../../../shared/request-errors.ts'
import { outcomeOf } from '../../../shared/request-outcome.ts'
import { asIs, List, listUntil, PAGE } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { formatPlace, startOf, toRecordFilter, toRecordSort } from './audit-query.ts'
import { AUDIT_FILTER, AUDIT_SORT, AuditActors, ProofView, RecordView } from './audit-shapes.ts'

const Csv = {
  description: 'A line of column names and a line for each record, newest first, at most 100,000.',
  content: { 'text/csv': { schema: Type.String() } },
} as TSchema

const UNKNOWN = { 404: 'NOT_FOUND: the record, or the Workspace' }

const docs = {
  search: inWorkspace('GET /audit', 'searchAuditRecords', 'List audit records, newest first', {
    scope: 'audit:read',
    query: { ...PAGE, ...AUDIT_FILTER, ...AUDIT_SORT },
    answers: { 200: List(RecordView) },
  }),
  get: inWorkspace('GET /audit/:id', 'getAuditRecordAsOperator', 'Get an audit record of any Application', {
    scope: 'audit:read',
    description:
      'By the id of the record, or by the `x-request-id` of the response (`req_…`). A request with an `x-request-id` of its client is found only by the id of the record, and one that was refused for its key or body has none.',
    answers: { 200: RecordView },
    errors: UNKNOWN,
  }),
  proof: inWorkspace('GET /audit/:id/proof', 'proveAuditRecord', 'Get the proof that a checkpoint covers an audit record', {
    scope: 'audit:read',
    answers: { 200: ProofView },
    errors: { ...UNKNOWN, 409: 'CONFLICT: no checkpoint covers the record yet. One is signed every minute' },
  }),
  csv: inWorkspace('GET /audit/csv', 'exportAuditCsv', 'Download the filtered audit records as CSV', {
    scope: 'audit:write',
    description:
      'For spreadsheets: at most 100,000 records, without proofs. `GET /audit/export` returns records that can be verified.',
    query: AUDIT_FILTER,
    answers: { 200: Csv },
  }),
  actors: inWorkspace(
    'GET /audit/actors',
    'listAuditActors',
    'List operators and admin tokens by their keyed hashes in audit records',
    { scope: 'audit:read', answers: { 200: AuditActors } },
  ),
}

export function auditRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, reads, workspaceKeys, chainOverdue } = deps
  listRoutes(app, deps)

  handle(app, docs.search, async ({ workspaceId, query }) => {
    const { hasher } = await workspaceKeys.get(workspaceId)
    await chainOverdue(workspaceId)
    const filter = toRecordFilter(query, hasher)
    const sort = toRecordSort(query)
    if (sort) {
      const { end, ...page } = await reads.run((readDb) => sortRecords(readDb, workspaceId, filter, sort))
      return listUntil(page, asIs, end && formatPlace(end))
    }
    const newest = { ...filter, ...startOf(query) }
    const { end, ...page } = await reads.run((readDb) => searchRecords(readDb, workspaceId, newest))
    return listUntil(page, asIs, end === undefined ? undefined : String(end))
  })

  handle(app, docs.get, async ({ workspaceId, params }) => {
    await chainOverdue(workspaceId)
    return requireFound(await findRecord(db, { workspaceId }, params.id), 'audit record')
  })

  handle(app, docs.proof, async ({ workspaceId, params }) => {
    await chainOverdue(workspaceId)
    const record = requireFound(await findRecord(db, { workspaceId }, params.id), 'audit record')
    const proof = await createInclusionProof(db, workspaceId, record.id)
    if (!proof) throw conflict('No checkpoint covers this record yet. Try again in a minute.')
    return { ...proof, record, public_key: (await workspaceKeys.get(workspaceId)).publicKey }
  })
}

function listRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, reads, workspaceKeys, chainOverdue } = deps

  handle(app, docs.csv, async (request, reply) => {
    const { workspaceId, query } = request
    const { hasher } = await workspaceKeys.get(workspaceId)
    const filter = toRecordFilter(query, hasher)
    await chainOverdue(workspaceId)
    const fields = Object.keys(query)
    await change(deps, request, async () => ({ value: undefined, action: 'audit.export', id: workspaceId, fields }))
    reply.header('content-disposition', `attachment; filename="audit-${workspaceId}.csv"`)
    return reply.type('text/csv; charset=utf-8').send(Readable.from(csvOf(reads, workspaceId, filter)))
  })

  handle(app, docs.actors, async ({ workspaceId }) => {
    const { hasher } = await workspaceKeys.get(workspaceId)
    const data = (await listActors(db, workspaceId)).map((actor) => ({ ...actor, user_id: hasher.user(actor.id) ?? '' }))
    return { object: 'audit_actors' as const, data }
  })
}

const MAX_ROWS = 100_000
const PAGE_SIZE = 500

const COLUMNS: Readonly<Record<string, (record: AuditRecord) => string | number | null>> = {
  time: ({ created_at }) => created_at,
  id: ({ id }) => id,
  event: ({ change, endpoint }) => change?.action ?? endpoint,
  application_id: ({ application_id }) => application_id,
  user_hash: ({ user }) => user.id,
  status: ({ status }) => status,
  error_code: ({ error_code }) => error_code,
  outcome: (record) => outcomeOf(record) ?? null,
  verdict: ({ decision }) => decision?.verdict ?? null,
  rules: ({ decision }) => decision?.rules.map(({ id }) => id).join(' ') ?? null,
  risk_level: ({ risk_level }) => risk_level,
  classification: ({ classification }) => classification,
  model: ({ attempts, features }) => attempts.at(-1)?.model ?? String(features['request.model'] ?? ''),
  providers: ({ attempts }) => attempts.map(({ provider }) => provider).join(' '),
  tokens: (record) => sumTokens(record),
  cost_usd: (record) => sumCost(record),
  latency_ms: ({ duration_ms }) => duration_ms,
  sequence: ({ integrity }) => integrity.sequence,
}

async function* csvOf(reads: Reads, workspaceId: string, filter: RecordFilter): AsyncGenerator<string> {
  yield `${Object.keys(COLUMNS).join()}\r\n`
  let rows = 0
  for (let below: number | undefined; rows < MAX_ROWS; ) {
    const page = { ...filter, limit: Math.min(PAGE_SIZE, MAX_ROWS - rows), ...(below !== undefined && { below }) }
    const { data, end } = await reads.run((db) => searchRecords(db, workspaceId, page))
    if (data.length > 0) yield data.map(lineOf).join('')
    rows += data.length
    if (end === undefined) return
    below = end
  }
}

const lineOf = (record: AuditRecord): string =>
  `${Object.values(COLUMNS)
    .map((read) => cellOf(read(record)))
    .join()}\r\n`

const cellOf = (value: string | number | null): string =>
  typeof value === 'string' ? csvCell(value) : value === null ? '' : String(value)
