import { sql } from 'kysely'
import { appendUnderLock } from '../../domains/audit/chain/append-in-transaction.ts'
import { type AuditDraft, createChangeDraft } from '../../domains/audit/record/record.ts'
import { requireWorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import { BUDGETS_TOPIC } from '../../domains/budgets/budget-store.ts'
import { APPLICATIONS_TOPIC, KEYS_TOPIC } from '../../domains/identity/authenticator.ts'
import { WORKSPACES_TOPIC } from '../../domains/identity/user-token.ts'
import { listWorkspaces } from '../../domains/identity/workspace-store.ts'
import { ACCESS_TOKENS_TOPIC } from '../../domains/messaging/people/member.ts'
import { ADMIN_TOKENS_TOPIC } from '../../domains/operators/admin-authenticator.ts'
import { POLICIES_TOPIC } from '../../domains/policy/active-policies.ts'
import { PROVIDERS_TOPIC } from '../../domains/providers/provider-store.ts'
import type { Database, Db, Tx } from '../../platform/db/database.ts'
import { withLongStatements } from '../../platform/db/long-statements.ts'
import type { Signal } from '../../platform/db/signal.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { newId } from '../../platform/lib/id.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { OPERATORS_TOPIC } from '../../shared/operator.ts'
import type { Change } from './change.ts'
import { type Ledger, undone } from './ledger.ts'

export interface ApplyDeps {
  readonly workspaceBox: SecretBox
  readonly providerBox: SecretBox
}

export interface ApplyContext extends ApplyDeps {
  readonly tx: Tx
  readonly workspaceId: string
  readonly now: Date
  /** Absent: the declaration does not come from a file, so its hashes are not stored. */
  readonly ledger?: Ledger | undefined
}

type RecordContext = Omit<ApplyContext, 'providerBox' | 'ledger'>

export interface ChangeDeps extends ApplyDeps {
  readonly database: Pick<Database, 'db' | 'signal'>
  readonly clock: Clock
}

export async function changeWorkspace(
  { database, clock, workspaceBox, providerBox }: ChangeDeps,
  workspaceId: string,
  work: (context: ApplyContext) => Promise<readonly Change[]>,
): Promise<readonly Change[]> {
  const changes = await setupTransaction(database.db, async (tx) => {
    const context = { tx, workspaceId, now: clock.now(), workspaceBox, providerBox }
    const changes = await work(context)
    await recordChanges(context, changes)
    return changes
  })
  await publishChanges(database.signal, workspaceId, changes)
  return changes
}

/** The same for changes of the whole server, for example admin tokens. `dryRun` returns the changes and makes none. */
export async function changeServer(
  { database, clock, workspaceBox }: ChangeDeps,
  work: (tx: Tx, now: Date) => Promise<readonly Change[]>,
  dryRun = false,
): Promise<readonly Change[]> {
  const changeAndRecord = async (tx: Tx) => {
    const now = clock.now()
    const changes = await work(tx, now)
    await recordForServer({ tx, now, workspaceBox }, changes)
    return changes
  }
  const changes = await setupTransaction(database.db, changeAndRecord, dryRun)
  if (!dryRun) await publishChanges(database.signal, '', changes)
  return changes
}

/** Advisory lock: one setup at a time over all nodes. The number is arbitrary and used only here. */
const LOCK = 7_241_001

/** Runs `work` in a transaction, one at a time over all nodes. `dryRun` rolls back and still returns the result. */
export const setupTransaction = <T>(db: Db, work: (tx: Tx) => Promise<T>, dryRun = false): Promise<T> =>
  db.transaction().execute((tx) =>
    withLongStatements(tx, async () => {
      await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
      return dryRun ? undone(tx, () => work(tx)) : work(tx)
    }),
  )

const ACTIONS = {
  created: 'create',
  updated: 'update',
  published: 'publish',
  issued: 'issue',
  revoked: 'revoke',
  disabled: 'update',
  deleted: 'delete',
  failed: 'fail',
} as const

/** Appends audit records as the admin API, without an operator. Call it last: it locks the Workspace's hash chain. */
export async function recordChanges(context: RecordContext, changes: readonly Change[]): Promise<void> {
  if (changes.every(({ done }) => done === 'unchanged')) return
  const { hasher } = await requireWorkspaceKeys(context.tx, context.workspaceBox, context.workspaceId)
  const drafts = changes.flatMap((change) => draftOf(context, change, (id) => hasher.user(id) ?? '') ?? [])
  await appendUnderLock(context.tx, context.workspaceId, drafts, hasher)
}

/** As in the admin API, the oldest Workspace's log has changes of the server, unless they name Workspaces. */
async function recordForServer(context: Omit<RecordContext, 'workspaceId'>, changes: readonly Change[]): Promise<void> {
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
  const { done, object, fields, failure } = change
  if (done === 'unchanged') return undefined
  // Records name users by their keyed hash only (GW-AUD-2).
  const object_id = object === 'user' ? hashId(change.id) : change.id
  const facts = { object_type: object, object_id, fields, ...(failure !== undefined && { failure }) }
  const policyVersions = change.published && [change.published]
  return createChangeDraft({
    id: change.auditId ?? newId('aud'),
    workspaceId,
    at: now,
    actor: null,
    change: { action: `${object}.${ACTIONS[done]}`, ...facts },
    policyVersions,
  })
}

const TOPICS: Readonly<Partial<Record<Change['object'], string>>> = {
  workspace: WORKSPACES_TOPIC,
  application: APPLICATIONS_TOPIC,
  key: KEYS_TOPIC,
  team: KEYS_TOPIC,
  admin_token: ADMIN_TOKENS_TOPIC,
  access_token: ACCESS_TOKENS_TOPIC,
  provider: PROVIDERS_TOPIC,
  policy_set: POLICIES_TOPIC,
  budget: BUDGETS_TOPIC,
  operator: OPERATORS_TOPIC,
}

export const CHANGE_TOPICS: readonly string[] = Object.values(TOPICS)

/** Signals committed changes to the running nodes. `key`: id of the Workspace, empty for changes of the server. */
export async function publishChanges(signal: Signal, key: string, changes: readonly Change[]): Promise<void> {
  const topics = new Set(changes.flatMap(({ done, object }) => (done === 'unchanged' ? [] : (TOPICS[object] ?? []))))
  for (const topic of topics) await signal.publish(topic, key)
}
