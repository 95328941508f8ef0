import { appendUnderLock } from '../../../domains/audit/chain/append-in-transaction.ts'
import { createChangeDraft } from '../../../domains/audit/record/record.ts'
import { requireWorkspaceKeys } from '../../../domains/audit/workspace-keys.ts'
import { listWorkspaces } from '../../../domains/identity/workspace-store.ts'
import type { OperatorEvent, OperatorEventDeps } from '../../../domains/operators/operator-event.ts'
import { findPerson } from '../../../domains/operators/operator-store.ts'
import type { Tx } from '../../../platform/db/database.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { newId } from '../../../platform/lib/id.ts'
import type { SecretBox } from '../../../platform/lib/secret-box.ts'
import { NO_ROLES } from '../../../shared/access.ts'

/** Records sign-in events where the operator has a role, and those of the whole server in the log of the oldest Workspace, if there is one. */
export function operatorEventRecorder(deps: {
  readonly clock: Clock
  readonly workspaceBox: SecretBox
}): OperatorEventDeps['record'] {
  return async (tx, event) => {
    const { action, id, fields = [], actor } = event
    for (const workspaceId of await findLogs(tx, event)) {
      const keys = await requireWorkspaceKeys(tx, deps.workspaceBox, workspaceId)
      const draft = createChangeDraft({
        id: newId('aud'),
        workspaceId,
        at: deps.clock.now(),
        actor: actor === null ? null : keys.hasher.user(actor),
        change: { action, object_type: 'operator', object_id: id, fields },
      })
      await appendUnderLock(tx, workspaceId, [draft], keys.hasher)
    }
  }
}

/** The ids of the Workspaces, always in the same order, because each append locks the end of a log. */
async function findLogs(tx: Tx, { id, workspaceIds, isServerWide }: OperatorEvent): Promise<string[]> {
  const { all, workspaces } = (await findPerson(tx, id))?.roles ?? NO_ROLES
  const ids = workspaceIds ?? [...workspaces.keys()]
  if (!(isServerWide ?? (all !== null || ids.length === 0))) return ids.toSorted()
  const [oldest] = (await listWorkspaces(tx, { limit: 1 }))?.data ?? []
  return [...new Set([...ids, ...(oldest ? [oldest.id] : [])])].toSorted()
}
