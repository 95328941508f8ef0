import { appendInTransaction } from '../audit/audit-store.ts'
import type { KeyedHasher } from '../audit/hashes.ts'
import { type AuditDraft, createChangeDraft } from '../audit/record.ts'
import { requireWorkspaceKeys } from '../audit/workspace-keys.ts'
import type { Tx } from '../db/database.ts'
import { listWorkspaces } from '../identity/workspace-store.ts'
import { newId } from '../lib/id.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import type { Change } from './change.ts'

export interface RecordScope {
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
 * Writes what has changed into the Workspace's audit log, in the order it happened, by the action names of the admin API. The server
 * did it itself: no operator is named. The last thing that a transaction does: it holds the end of the chain from here on.
 */
export async function recordChanges(scope: RecordScope, changes: readonly Change[]): Promise<void> {
  if (changes.every(({ done }) => done === 'unchanged')) return
  const hasher = await hasherOf(scope)
  const drafts = changes.flatMap((change) => draftOf(scope, change, (id) => hasher.user(id) ?? '') ?? [])
  await appendInTransaction(scope.tx, scope.workspaceId, drafts, hasher)
}

/** What concerns the whole server goes into the oldest Workspace's log, as with the admin API; before there is one, into none. */
export async function recordForServer(
  { tx, now, workspaceBox }: Omit<RecordScope, 'workspaceId'>,
  changes: readonly Change[],
): Promise<void> {
  const [oldest] = (await listWorkspaces(tx, { limit: 1 }))?.data ?? []
  if (oldest) await recordChanges({ tx, now, workspaceBox, workspaceId: oldest.id }, changes)
}

function draftOf({ workspaceId, now }: RecordScope, change: Change, hashed: (id: string) => string): AuditDraft | undefined {
  const { done, object, fields } = change
  if (done === 'unchanged') return undefined
  const object_id = needsHash(change) ? hashed(change.id) : change.id
  const facts = { action: `${object}.${ACTIONS[done]}`, object_type: object, object_id, fields }
  return createChangeDraft({ id: change.auditId ?? newId('aud'), workspaceId, at: now, actor: null, change: facts })
}

/** Records name users by their keyed hash only (GW-AUD-2). */
const needsHash = ({ object, done }: Change): boolean => object === 'user' && done !== 'unchanged'

async function hasherOf({ tx, workspaceBox, workspaceId }: RecordScope): Promise<KeyedHasher> {
  const keys = await requireWorkspaceKeys(tx, workspaceBox, workspaceId)
  return keys.hasher
}
