import { Readable } from 'node:stream'
import { type TSchema, Type } from 'typebox'
import type { ChainOverdue } from '../../../domains/audit/chain/chain-pending.ts'
import type { WorkspaceKeys } from '../../../domains/audit/workspace-keys.ts'
import { listActors } from '../../../domains/operators/actors.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { Cache } from '../../../platform/lib/cache.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { type ChangeDeps, change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { toRecordFilter } from './audit-query.ts'
import { AUDIT_FILTER, AuditActors } from './audit-shapes.ts'
import { csvOf } from './records-csv.ts'

const Csv = {
  description: 'A line of column names and a line for each record, newest first, at most 100,000.',
  content: { 'text/csv': { schema: Type.String() } },
} as TSchema

const docs = {
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

interface Deps extends ChangeDeps {
  readonly db: Db
  readonly reads: Reads
  readonly workspaceKeys: Cache<WorkspaceKeys>
  readonly chainOverdue: ChainOverdue
}

/** Routes that the list of audit records needs besides its rows. */
export function auditListRoutes(app: TypedApp, deps: Deps): void {
  const { db, reads, workspaceKeys, chainOverdue } = deps

  handle(app, docs.csv, async (request, reply) => {
    const { workspaceId, query } = request
    const { hasher } = await workspaceKeys.get(workspaceId)
    const filter = toRecordFilter(query, hasher)
    await chainOverdue(workspaceId)
    await change(deps, request, async () => ({
      value: undefined,
      action: 'audit.export',
      id: workspaceId,
      fields: Object.keys(query),
    }))
    reply.header('content-disposition', `attachment; filename="audit-${workspaceId}.csv"`)
    return reply.type('text/csv; charset=utf-8').send(Readable.from(csvOf(reads, workspaceId, filter)))
  })

  handle(app, docs.actors, async ({ workspaceId }) => {
    const { hasher } = await workspaceKeys.get(workspaceId)
    const actors = await listActors(db, workspaceId)
    const data = actors.map((actor) => ({ ...actor, user_id: hasher.user(actor.id) ?? '' }))
    return { object: 'audit_actors' as const, data }
  })
}
