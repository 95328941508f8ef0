import { appendUnderLock } from '../audit/chain/append-in-transaction.ts'
import { createChangeDraft } from '../audit/record/record.ts'
import { requireWorkspaceKeys } from '../audit/workspace-keys.ts'
import { listWorkspaces } from '../identity/workspace-store.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import type { RecordOperatorEvent } from '../operators/operator-event.ts'

/**
 * Records sign-in events. They concern the whole server, so the audit log of the oldest Workspace contains them. Without a
 * Workspace nothing is recorded.
 */
export function operatorEventRecorder(deps: { readonly clock: Clock; readonly workspaceBox: SecretBox }): RecordOperatorEvent {
  return async (tx, { action, id, fields = [], actor }) => {
    const [oldest] = (await listWorkspaces(tx, { limit: 1 }))?.data ?? []
    if (!oldest) return
    const keys = await requireWorkspaceKeys(tx, deps.workspaceBox, oldest.id)
    const draft = createChangeDraft({
      id: newId('aud'),
      workspaceId: oldest.id,
      at: deps.clock.now(),
      actor: actor === null ? null : keys.hasher.user(actor),
      change: { action, object_type: 'operator', object_id: id, fields },
    })
    await appendUnderLock(tx, oldest.id, [draft], keys.hasher)
  }
}
