import { AuditWriter, type AuditWriterOptions } from './domains/audit/chain/writer.ts'
import type { AuditWatch } from './domains/audit/checkpoints/watch.ts'
import { RecentRecords } from './domains/audit/statistics/counted-record.ts'
import type { WorkspaceKeys } from './domains/audit/workspace-keys.ts'
import type { Database } from './platform/db/database.ts'
import type { Cache } from './platform/lib/cache.ts'
import type { PlaceInNode } from './platform/processes/node-link.ts'

/** The part of an AuditWriter that the server uses. */
export type AuditLogWriter = Pick<AuditWriter, 'append' | 'chain' | 'leavesPending' | 'drain' | 'waiting' | 'lagSeconds'>

interface AuditWriterGiven {
  readonly overrides: { readonly audit?: AuditLogWriter }
  readonly node: PlaceInNode
  readonly database: Pick<Database, 'pool' | 'kind'>
  readonly workspaceKeys: Cache<WorkspaceKeys>
  readonly auditWatch: AuditWatch
}

/** The writer of the audit log. It knows the sealer of records, raises an alarm when the end of a chain is not where this node left it, and
 * keeps what is counted of new records in the process that counts them. */
export function createAuditWriter({ overrides, node, database, workspaceKeys, auditWatch }: AuditWriterGiven) {
  const recentRecords = new RecentRecords()
  const options: AuditWriterOptions = {
    findSealer: async (workspaceId) => (await workspaceKeys.get(workspaceId)).hasher,
    onAlarm: (workspaceId, sequence) => auditWatch.suspect(workspaceId, { sequence, id: null, reason: 'rolled_back' }),
    ...(node.leads && { onCommit: (records) => recentRecords.add(records) }),
  }
  const audit: AuditLogWriter = overrides.audit ?? new AuditWriter(database, options)
  return { audit, recentRecords }
}
