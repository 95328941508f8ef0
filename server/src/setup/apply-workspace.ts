import { requireSecretKey } from '../audit/secret-key-check.ts'
import { createWorkspaceKeys } from '../audit/workspace-keys.ts'
import type { Tx } from '../db/database.ts'
import { fillWorkspaceSettings, patchWorkspaceSettings, type Workspace } from '../identity/workspace.ts'
import { createWorkspace, findWorkspaceByName, updateWorkspace } from '../identity/workspace-store.ts'
import { newId } from '../lib/id.ts'
import { applyApplication } from './apply-application.ts'
import { applyCollection } from './apply-collection.ts'
import { applyPolicy } from './apply-policy.ts'
import { applyProvider } from './apply-provider.ts'
import { applyUser } from './apply-user.ts'
import { applyEach, type Change, DeclarationConflict } from './change.ts'
import type { DeclaredWorkspace } from './declaration.ts'
import { differences } from './differences.ts'
import { type ApplyMode, applyThing, findDeclaredWorkspace, Ledger } from './ledger.ts'
import { recordChanges } from './record-changes.ts'
import type { ApplyDeps, Scope } from './scope.ts'

export interface AppliedWorkspace {
  readonly workspaceId: string
  readonly changes: readonly Change[]
}

export interface WorkspaceOptions {
  /** May do more in the same transaction. */
  readonly finish?: (scope: Scope) => Promise<readonly Change[]>
  /** Absent: all of it is applied, and nothing remembered for the next time. */
  readonly mode?: ApplyMode
}

/**
 * Makes a Workspace what it is declared to be. What the declaration does not name stays as it is. All of it is recorded at the end,
 * where the chain's lock is held for the shortest time.
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
  const scope = { tx, workspaceId, now, workspaceBox, providerBox, ledger }
  const fields = { values: settings, merged: ['claims', 'review'] }
  const itself = await applyThing(ledger, { object: 'workspace', name, declared: settings, fields }, (changed = settings) =>
    applyItself(scope, known, { ...declared, settings: known ? changed : settings }),
  )
  const drift = `has another name now (${known?.name})`
  const renamed: Change[] =
    known && known.name !== name ? [{ done: 'unchanged', object: 'workspace', id: known.id, name, fields: [], drift }] : []
  // Before the users: their names are governed by the policies that are declared with them.
  const published = declared.policy === undefined ? [] : await applyPolicy(scope, declared.policy)
  const changes = [
    ...itself,
    ...renamed,
    ...(await applyEach('users', declared.users, (user) => applyUser(scope, user))),
    ...(await applyEach('providers', declared.providers, (provider) => applyProvider(scope, provider, 'config'))),
    ...(await applyEach('applications', declared.applications, (application) => applyApplication(scope, application))),
    ...(await applyEach('collections', declared.collections ?? [], (collection) => applyCollection(scope, collection))),
    ...published,
    ...(await finish(scope)),
  ]
  await ledger?.close()
  await recordChanges(scope, changes)
  return { workspaceId, changes }
}

async function applyItself(
  { tx, workspaceId: id, now, workspaceBox }: Scope,
  known: Workspace | undefined,
  { name, settings }: DeclaredWorkspace,
): Promise<Change[]> {
  const changed = (done: Change['done'], fields: readonly string[] = []): Change[] => [
    { done, object: 'workspace', id, name, fields },
  ]
  if (known) {
    const fields = differences(known.settings, fillWorkspaceSettings(patchWorkspaceSettings({ ...known.settings }, settings)))
    if (fields.length > 0) await updateWorkspace(tx, id, { settings })
    return changed(fields.length > 0 ? 'updated' : 'unchanged', fields)
  }
  await requireSecretKey(tx, workspaceBox)
  const created = await createWorkspace(tx, id, { name, settings }, createWorkspaceKeys(workspaceBox, id), now)
  if (!created) throw new DeclarationConflict('name', 'was taken at this very moment; apply again')
  return changed('created')
}
