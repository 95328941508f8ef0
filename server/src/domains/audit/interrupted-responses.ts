import type { Logger } from 'pino'
import type { Db } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { fromId, newId, toId } from '../../platform/lib/id.ts'
import type { AuditWriter } from './chain/writer.ts'
import { createChangeDraft } from './record/record.ts'

interface Deps {
  readonly db: Db
  readonly audit: Pick<AuditWriter, 'append'>
  readonly clock: Clock
  readonly log: Logger
}

/** If the server's stop cuts a response that is recorded with status 200, a second record refers to the first (`ids`). */
export async function recordInterruptedResponses({ db, audit, clock, log }: Deps, ids: readonly string[]): Promise<void> {
  const record = async (id: string): Promise<void> => {
    const row = await db
      .selectFrom('audit_record')
      .select('workspace_id')
      .where('id', '=', fromId('aud', id) ?? '')
      .executeTakeFirst()
    if (!row) return
    const workspaceId = toId('ws', row.workspace_id)
    const change = { action: 'answer.cut', object_type: 'audit_record', object_id: id, fields: [] }
    const draft = createChangeDraft({ id: newId('aud'), workspaceId, at: clock.now(), actor: null, change, status: 503 })
    await audit.append(workspaceId, { ...draft, error_code: 'UNAVAILABLE' })
  }
  const results = await Promise.allSettled(ids.map(record))
  for (const [index, result] of results.entries())
    if (result.status === 'rejected')
      log.error({ err: result.reason, audit_id: ids[index] }, 'could not record that a response was interrupted')
}
