import type { Logger } from 'pino'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { fromId, newId, toId } from '../lib/id.ts'
import { changeDraft } from './record.ts'
import type { AuditWriter } from './writer.ts'

interface Deps {
  readonly db: Db
  readonly audit: Pick<AuditWriter, 'append'>
  readonly clock: Clock
  readonly log: Logger
}

/**
 * An answer is recorded before its first byte leaves, so its record says 200 when the stop of the server breaks it off. A second record,
 * `answer.cut` with status 503, names the first and says so. `ids` are those of the first records.
 */
export async function recordCutAnswers({ db, audit, clock, log }: Deps, ids: readonly string[]): Promise<void> {
  const record = async (id: string): Promise<void> => {
    const row = await db
      .selectFrom('audit_record')
      .select('workspace_id')
      .where('id', '=', fromId('aud', id) ?? '')
      .executeTakeFirst()
    if (!row) return
    const workspaceId = toId('ws', row.workspace_id)
    const change = { action: 'answer.cut', object_type: 'audit_record', object_id: id, fields: [] }
    const draft = changeDraft({ id: newId('aud'), workspaceId, at: clock.now(), actor: null, change, status: 503 })
    await audit.append(workspaceId, { ...draft, error_code: 'UNAVAILABLE' })
  }
  const results = await Promise.allSettled(ids.map(record))
  for (const [index, result] of results.entries())
    if (result.status === 'rejected')
      log.error({ err: result.reason, audit_id: ids[index] }, 'an answer that was cut off could not be recorded as that')
}
