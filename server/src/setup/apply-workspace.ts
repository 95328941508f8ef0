import { filledWorkspace, patchedWorkspace } from '../applications/workspace.ts'
import { createWorkspace, findWorkspaceByName, updateWorkspace } from '../applications/workspace-store.ts'
import { createWorkspaceKeys } from '../audit/workspace-keys.ts'
import type { Tx } from '../db/database.ts'
import { newId } from '../lib/id.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { applyApplication } from './apply-application.ts'
import { applyCollection } from './apply-collection.ts'
import { applyPolicy } from './apply-policy.ts'
import { applyProvider } from './apply-provider.ts'
import { applyUser } from './apply-user.ts'
import { applyEach, type Change, DeclarationConflict } from './change.ts'
import type { DeclaredWorkspace } from './declaration.ts'
import { differences } from './differences.ts'
import { recordChanges } from './record-changes.ts'
import type { ApplyDeps, Scope } from './scope.ts'

export interface AppliedWorkspace {
  readonly workspaceId: string
  readonly changes: readonly Change[]
}

/**
 * Makes a Workspace what it is declared to be. What the declaration does not name stays as it is. `finish` may do more in the same
 * transaction; all of it is recorded at the end, where the chain's lock is held for the shortest time.
 */
export async function applyWorkspace(
  tx: Tx,
  declared: DeclaredWorkspace,
  now: Date,
  { workspaceBox, providerBox }: ApplyDeps,
  finish: (scope: Scope) => Promise<readonly Change[]> = async () => [],
): Promise<AppliedWorkspace> {
  const { workspaceId, change } = await applyItself(tx, declared, now, workspaceBox)
  const scope = { tx, workspaceId, now, workspaceBox, providerBox }
  // First: names of users are governed by the policies that are declared with them.
  const published = declared.policy === undefined ? [] : await applyPolicy(scope, declared.policy)
  const changes = [
    change,
    ...(await applyEach('users', declared.users, (user) => applyUser(scope, user))),
    ...(await applyEach('providers', declared.providers, (provider) => applyProvider(scope, provider, 'config'))),
    ...(await applyEach('applications', declared.applications, (application) => applyApplication(scope, application))),
    ...(await applyEach('collections', declared.collections ?? [], (collection) => applyCollection(scope, collection))),
    ...published,
    ...(await finish(scope)),
  ]
  await recordChanges(scope, changes)
  return { workspaceId, changes }
}

async function applyItself(
  tx: Tx,
  { name, settings }: DeclaredWorkspace,
  now: Date,
  box: SecretBox,
): Promise<{ workspaceId: string; change: Change }> {
  const changed = (done: Change['done'], id: string, fields: readonly string[] = []) => ({
    workspaceId: id,
    change: { done, object: 'workspace' as const, id, name, fields },
  })
  const known = await findWorkspaceByName(tx, name)
  if (known) {
    const fields = differences(known.settings, filledWorkspace(patchedWorkspace({ ...known.settings }, settings)))
    if (fields.length > 0) await updateWorkspace(tx, known.id, { settings })
    return changed(fields.length > 0 ? 'updated' : 'unchanged', known.id, fields)
  }
  const id = newId('ws')
  const created = await createWorkspace(tx, id, { name, settings }, createWorkspaceKeys(box, id), now)
  if (!created) throw new DeclarationConflict('name', 'was taken at this very moment; apply again')
  return changed('created', id)
}
