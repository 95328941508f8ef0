import { rm } from 'node:fs/promises'
import { CompiledQuery, sql } from 'kysely'
import { appendInTransaction } from '../../../domains/audit/chain/append-in-transaction.ts'
import { createChangeDraft } from '../../../domains/audit/record/record.ts'
import { requireWorkspaceKeys } from '../../../domains/audit/workspace-keys.ts'
import type { Workspace } from '../../../domains/identity/workspace.ts'
import { findWorkspaceByName, listWorkspaces } from '../../../domains/identity/workspace-store.ts'
import { EVENTS_TOPIC } from '../../../domains/messaging/events/event.ts'
import { revokeAdminToken } from '../../../domains/operators/admin-token-store.ts'
import type { Person } from '../../../domains/operators/operator.ts'
import { deletePerson, findPersonByEmail, listOwners } from '../../../domains/operators/operator-store.ts'
import { REVIEWS_TOPIC } from '../../../domains/review/review.ts'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { withLongStatements } from '../../../platform/db/long-statements.ts'
import type { Signal } from '../../../platform/db/signal.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { newId, toId } from '../../../platform/lib/id.ts'
import type { SecretBox } from '../../../platform/lib/secret-box.ts'
import { DEMO_ISSUER, DEMO_OWNER_EMAIL, DEMO_REVIEWER_EMAIL } from '../../../shared/demo-words.ts'
import { EXPORTED_TABLES } from '../../backup/exported-tables.ts'
import { CHANGE_TOPICS } from '../../setup/recorded-change.ts'
import { DEMO_TOKEN_NAME } from '../demo-declaration.ts'
import { demoFilePath } from '../demo-file.ts'

interface Remover {
  /** The operator (`opr_…`) or admin token (`adm_…`) that asks; null: the command line. */
  readonly actor: string | null
  readonly now: Date
  readonly workspaceBox: SecretBox
}

export type Removal =
  | { readonly ok: true; readonly workspaceId: string; readonly isOwnerKept: boolean }
  | { readonly ok: false; readonly reason: 'not_found' | 'not_demo' | 'last_workspace' }

/** The oldest Workspace that is left records it. The caller has locked the owners, and announces the removal. */
export async function removeDemo(tx: Tx, name: string, remover: Remover): Promise<Removal> {
  const workspace = await findWorkspaceByName(tx, name)
  if (!workspace) return { ok: false, reason: 'not_found' }
  if (!isDemo(workspace)) return { ok: false, reason: 'not_demo' }
  const { data = [] } = (await listWorkspaces(tx, { limit: 2 })) ?? {}
  const log = data.find(({ id }) => id !== workspace.id)
  if (!log) return { ok: false, reason: 'last_workspace' }

  const { people, tokenIds, isOwnerKept } = await findAccounts(tx, workspace.id, remover.actor)
  await withLongStatements(tx, () => deleteWorkspace(tx, workspace.id, remover.now))
  for (const { id } of people) await deletePerson(tx, id)
  for (const id of tokenIds) await revokeAdminToken(tx, id, remover.now)
  await record(tx, log.id, remover, [
    ['workspace.delete', workspace.id],
    ...people.map(({ id }) => ['operator.delete', id] as const),
    ...tokenIds.map((id) => ['admin_token.revoke', id] as const),
  ])
  return { ok: true, workspaceId: workspace.id, isOwnerKept }
}

/** After the commit: no node answers from what it remembers of the Workspace, and demo.json is deleted unless its owner stays. */
export async function announceRemoval(
  { workspaceId, isOwnerKept }: Extract<Removal, { ok: true }>,
  { signal, dataDir }: { readonly signal: Signal; readonly dataDir: string },
): Promise<void> {
  for (const topic of [...CHANGE_TOPICS, REVIEWS_TOPIC, EVENTS_TOPIC]) await signal.publish(topic, workspaceId)
  if (!isOwnerKept) await rm(demoFilePath(dataDir), { force: true })
}

/** No other Workspace has the issuer of the demo, and operators may have renamed the demo. */
export const isDemo = ({ settings }: Workspace): boolean => settings.issuer === DEMO_ISSUER

/** The operators and admin tokens that go with the demo. Its owner stays as the last owner. `actor` asks for it, and stays. */
export async function findAccounts(db: Db, workspaceId: string, actor: string | null) {
  const owner = await findPersonByEmail(db, DEMO_OWNER_EMAIL)
  const reviewer = await findPersonByEmail(db, DEMO_REVIEWER_EMAIL)
  const goes = (person: Person | undefined): person is Person => person !== undefined && person.id !== actor
  const others = (await listOwners(db)).filter((id) => id !== owner?.id && id !== reviewer?.id)
  const isOwnerKept = owner !== undefined && (owner.id === actor || others.length === 0)
  const people = [...(isOwnerKept ? [] : [owner]), reviewer].filter(goes)
  return { people, tokenIds: await findTokens(db, workspaceId, { actor, isOwnerKept }), isOwnerKept }
}

async function findTokens(
  db: Db,
  workspaceId: string,
  { actor, isOwnerKept }: { readonly actor: string | null; readonly isOwnerKept: boolean },
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from admin_token where revoked_at is null and (workspace_ids = array[${uuidOfWorkspace(workspaceId)}]::uuid[]
      or (name = ${DEMO_TOKEN_NAME} and issued_by is null and not ${isOwnerKept}::boolean))
    order by id`.execute(db)
  return rows.map(({ id }) => toId('adm', id)).filter((id) => id !== actor)
}

async function record(
  tx: Tx,
  workspaceId: string,
  { actor, now, workspaceBox }: Remover,
  changes: readonly (readonly [action: string, id: string])[],
): Promise<void> {
  const { hasher } = await requireWorkspaceKeys(tx, workspaceBox, workspaceId)
  const drafts = changes.map(([action, object_id]) => {
    const change = { action, object_type: action.slice(0, action.indexOf('.')), object_id, fields: [] }
    const hashedActor = actor === null ? null : hasher.user(actor)
    return createChangeDraft({ id: newId('aud'), workspaceId, at: now, actor: hashedActor, change })
  })
  await appendInTransaction(tx, workspaceId, drafts, hasher)
}

const OF_WORKSPACE = 'workspace_id = $1'
const OF_PARTITION = 'partition_id in (select id from retrieval_partition where workspace_id = $1)'
const CONDITIONS: Readonly<Record<string, string>> = {
  workspace: 'id = $1',
  budget_window: 'budget_id in (select id from budget where workspace_id = $1)',
  retrieval_removed: OF_PARTITION,
  retrieval_entry: OF_PARTITION,
  retrieval_list: OF_PARTITION,
  retrieval_posting: OF_PARTITION,
}

/** Requests in progress wait at the locks, and fail after the commit. May deadlock with them, so the caller repeats the transaction. */
async function deleteWorkspace(tx: Tx, workspaceId: string, now: Date): Promise<void> {
  const uuid = uuidOfWorkspace(workspaceId)
  await sql`select from workspace where id = ${uuid} for update`.execute(tx)
  await sql`select from audit_head where workspace_id = ${uuid} for update`.execute(tx)
  // A job deletes the files.
  await sql`
    insert into removed_file (place, removed_at) select place, ${now} from message_attachment where workspace_id = ${uuid}
    on conflict do nothing`.execute(tx)
  await tx.updateTable('workspace').set({ active_policy_id: null }).where('id', '=', uuid).execute()
  for (const [table, condition] of await listConditions(tx))
    await tx.executeQuery(CompiledQuery.raw(`delete from ${table} where ${condition}`, [uuid]))
}

/** The tables with rows of Workspaces, each before those that it refers to, and the condition on the rows of one. */
async function listConditions(tx: Tx): Promise<readonly (readonly [table: string, condition: string])[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = current_schema() and column_name = 'workspace_id'`.execute(tx)
  const owned = new Set(rows.map(({ name }) => name))
  return Object.keys(EXPORTED_TABLES)
    .toReversed()
    .flatMap((table) => {
      const condition = CONDITIONS[table] ?? (owned.has(table) && OF_WORKSPACE)
      return condition ? [[table, condition] as const] : []
    })
}
