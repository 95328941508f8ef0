import { requireSecretKey } from '../../domains/audit/secret-key-check.ts'
import { createWorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import {
  fillWorkspaceSettings,
  patchWorkspaceSettings,
  type Workspace,
  type WorkspaceCreate,
} from '../../domains/identity/workspace.ts'
import { createWorkspace, findWorkspaceByName, updateWorkspace } from '../../domains/identity/workspace-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/lib/id.ts'
import { applyApplication } from './apply-application.ts'
import { applyBudget } from './apply-budget.ts'
import { applyCollection } from './apply-collection.ts'
import { applyPolicy } from './apply-policy.ts'
import { applyProvider } from './apply-provider.ts'
import { applyUser } from './apply-user.ts'
import { applyEach, type Change, DeclarationConflict } from './change.ts'
import type { DeclaredWorkspace } from './declaration.ts'
import { findDifferences } from './differences.ts'
import { type ApplyMode, applyItem, findDeclaredWorkspace, Ledger } from './ledger.ts'
import { type ApplyContext, type ApplyDeps, recordChanges } from './recorded-change.ts'

export interface AppliedWorkspace {
  readonly workspaceId: string
  readonly changes: readonly Change[]
}

export interface WorkspaceOptions {
  /** Makes further changes in the same transaction. */
  readonly finish?: (context: ApplyContext) => Promise<readonly Change[]>
  /** Absent: everything is applied, and no hashes are stored. */
  readonly mode?: ApplyMode
}

/**
 * Creates or updates a Workspace as it is declared. Items that the declaration does not name stay as they are. The audit records are
 * written last, because they lock the Workspace's hash chain.
 */
export async function applyWorkspace(
  tx: Tx,
  declared: DeclaredWorkspace,
  now: Date,
  { workspaceBox, providerBox }: ApplyDeps,
  { finish = async () => [], mode }: WorkspaceOptions = {},
): Promise<AppliedWorkspace> {
  const { name, settings } = declared
  const known = (await findWorkspaceByName(tx, name)) ?? (await findDeclaredWorkspace(tx, name))
  const workspaceId = known?.id ?? newId('ws')
  const ledger = mode && (await Ledger.open(tx, workspaceId, mode, now))
  const context = { tx, workspaceId, now, workspaceBox, providerBox, ledger }
  const fields = { values: settings, merged: ['claims', 'review'] }
  const own = await applyItem(ledger, { object: 'workspace', name, declared: settings, fields }, (changed = settings) =>
    createOrUpdate(context, known, { ...declared, settings: known ? changed : settings }),
  )
  const drift = `was renamed to ${known?.name}`
  const renamed: Change[] =
    known && known.name !== name ? [{ done: 'unchanged', object: 'workspace', id: known.id, name, fields: [], drift }] : []
  // The policies come first, because they govern the names of the users.
  const policyChanges = declared.policy === undefined ? [] : await applyPolicy(context, declared.policy)
  const changes = [
    ...own,
    ...renamed,
    ...(await applyEach('users', declared.users, (user) => applyUser(context, user))),
    ...(await applyEach('providers', declared.providers, (provider) => applyProvider(context, provider, 'config'))),
    ...(await applyEach('applications', declared.applications, (application) => applyApplication(context, application))),
    ...(await applyEach('collections', declared.collections ?? [], (collection) => applyCollection(context, collection))),
    ...(await applyEach('budgets', declared.budgets ?? [], (budget) => applyBudget(context, budget))),
    ...policyChanges,
    ...(await finish(context)),
  ]
  await ledger?.close()
  await recordChanges(context, changes)
  return { workspaceId, changes }
}

async function createOrUpdate(
  context: ApplyContext,
  known: Workspace | undefined,
  { name, settings }: DeclaredWorkspace,
): Promise<Change[]> {
  if (known) {
    const { id } = known
    const fields = findDifferences(known.settings, fillWorkspaceSettings(patchWorkspaceSettings({ ...known.settings }, settings)))
    if (fields.length > 0) await updateWorkspace(context.tx, id, { settings })
    return [{ done: fields.length > 0 ? 'updated' : 'unchanged', object: 'workspace', id, name, fields }]
  }
  const created = await createNewWorkspace(context, { name, settings })
  if (!created) throw new DeclarationConflict('name', 'was taken by another Workspace in the meantime; apply again')
  return [created]
}

/** Creates the Workspace `context.workspaceId` with keys of its audit log. Returns undefined if the name is taken. */
export async function createNewWorkspace(
  { tx, workspaceId: id, now, workspaceBox }: ApplyContext,
  create: WorkspaceCreate,
): Promise<Change | undefined> {
  await requireSecretKey(tx, workspaceBox)
  const created = await createWorkspace(tx, id, create, createWorkspaceKeys(workspaceBox, id), now)
  return created && { done: 'created', object: 'workspace', id, name: create.name, fields: [] }
}
