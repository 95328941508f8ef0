import type { Tx } from '../../platform/db/database.ts'
import type { Cache } from '../../platform/lib/cache.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { newId, toId } from '../../platform/lib/id.ts'
import type { ServiceCall } from '../../shared/service-call.ts'
import { appendInTransaction } from './chain/append-in-transaction.ts'
import { type AuditedDeps, auditedTransaction } from './chain/audited-transaction.ts'
import { createChangeDraft } from './record/record.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

export interface EmbeddingRecorderDeps extends AuditedDeps {
  readonly clock: Clock
  readonly workspaceKeys: Cache<WorkspaceKeys>
}

/** Records that documents and memories were sent to the embedder, in the transaction that stores their vectors. */
export const embeddingRecorder =
  ({ db, audit, clock, workspaceKeys }: EmbeddingRecorderDeps) =>
  async (workspaceUuid: string, call: ServiceCall, write: (tx: Tx) => Promise<void>): Promise<void> => {
    const workspaceId = toId('ws', workspaceUuid)
    // Outside of the transaction, because the embedded database has one session.
    const { hasher } = await workspaceKeys.get(workspaceId)
    await auditedTransaction({ db, audit }, async (tx) => {
      await write(tx)
      const hasFailed = call.outcome !== 'ok'
      const draft = createChangeDraft({
        id: newId('aud'),
        workspaceId,
        at: clock.now(),
        actor: null,
        change: { action: 'embedder.send', object_type: 'embedder', object_id: call.host, fields: [] },
        ...(hasFailed && { status: 502 }),
        durationMs: call.ms,
        serviceCalls: [call],
      })
      await appendInTransaction(tx, workspaceId, [hasFailed ? { ...draft, error_code: 'PROVIDER_ERROR' } : draft], hasher)
    })
  }
