import { appendUnderLock } from '../../domains/audit/chain/append-in-transaction.ts'
import { type AuditDraft, createChangeDraft } from '../../domains/audit/record/record.ts'
import { requireWorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import { listWorkspaces } from '../../domains/identity/workspace-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/lib/id.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import type { Change } from './change.ts'

export interface RecordContext {
  readonly tx: Tx
  readonly workspaceId: string
  readonly now: Date
  readonly workspaceBox: SecretBox
}

const ACTIONS = {
  created: 'create',
  updated: 'update',
  published: 'publish',
  issued: 'issue',
  revoked: 'revoke',
  disabled: 'update',
  deleted: 'delete',
} as const

/**
 * Appends an audit record for each change, in order, with the action names of the admin API and no operator. Call it last in the
 * transaction, because it locks the Workspace's hash chain until the end of the transaction.
 */
export async function recordChanges(context: RecordContext, changes: readonly Change[]): Promise<void> {
  if (changes.every(({ done }) => done === 'unchanged')) return
  const { hasher } = await requireWorkspaceKeys(context.tx, context.workspaceBox, context.workspaceId)
  const drafts = changes.flatMap((change) => draftOf(context, change, (id) => hasher.user(id) ?? '') ?? [])
  await appendUnderLock(context.tx, context.workspaceId, drafts, hasher)
}

/**
 * Changes of the whole server go into the oldest Workspace's log, as in the admin API, and those that name Workspaces into their logs.
 * Without a Workspace they are not recorded.
 */
export async function recordForServer(context: Omit<RecordContext, 'workspaceId'>, changes: readonly Change[]): Promise<void> {
  const [oldest] = (await listWorkspaces(context.tx, { limit: 1 }))?.data ?? []
  if (!oldest) return
  const logsOf = ({ workspaceIds = [oldest.id] }: Change) => workspaceIds
  for (const workspaceId of [...new Set(changes.flatMap(logsOf))].toSorted())
    await recordChanges(
      { ...context, workspaceId },
      changes.filter((change) => logsOf(change).includes(workspaceId)),
    )
}

function draftOf({ workspaceId, now }: RecordContext, change: Change, hashId: (id: string) => string): AuditDraft | undefined {
  const { done, object, fields } = change
  if (done === 'unchanged') return undefined
  const object_id = needsHash(change) ? hashId(change.id) : change.id
  const recorded = { action: `${object}.${ACTIONS[done]}`, object_type: object, object_id, fields }
  return createChangeDraft({ id: change.auditId ?? newId('aud'), workspaceId, at: now, actor: null, change: recorded })
}

/** Records name users by their keyed hash only (GW-AUD-2). */
const needsHash = ({ object, done }: Change): boolean => object === 'user' && done !== 'unchanged'
