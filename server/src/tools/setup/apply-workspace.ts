import { requireSecretKey } from '../../domains/audit/secret-key-check.ts'
import { createWorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import {
  fillWorkspaceSettings,
  patchWorkspaceSettings,
  type Workspace,
  type WorkspaceCreate,
} from '../../domains/identity/workspace.ts'
import { createWorkspace, findWorkspaceByName, updateWorkspace } from '../../domains/identity/workspace-store.ts'
import { parsePolicySet } from '../../domains/policy/parse.ts'
import { policySha256 } from '../../domains/policy/policy.ts'
import { findActivePolicySet, publishPolicySet } from '../../domains/policy/policy-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/lib/id.ts'
import { applyTeam } from './apply-keys.ts'
import { applyApplication, applyBudget, applyCollection } from './apply-named.ts'
import { applyProvider } from './apply-provider.ts'
import { applyUser } from './apply-user.ts'
import { applyEach, type Change, changeOf, createOrUpdate, DeclarationConflict, findDifferences } from './change.ts'
import type { DeclaredWorkspace } from './declaration.ts'
import { type ApplyMode, applyItem, findDeclaredWorkspace, Ledger } from './ledger.ts'
import { type ApplyContext, type ApplyDeps, recordChanges } from './recorded-change.ts'

interface WorkspaceOptions {
  readonly finish?: (context: ApplyContext) => Promise<readonly Change[]>
  /** Absent: everything is applied, and no hashes are stored. */
  readonly mode?: ApplyMode
}

/** Items that are not declared stay. The audit records are written last, because they lock the Workspace's hash chain. */
export async function applyWorkspace(
  tx: Tx,
  declared: DeclaredWorkspace,
  now: Date,
  { workspaceBox, providerBox }: ApplyDeps,
  { finish = async () => [], mode }: WorkspaceOptions = {},
): Promise<{ readonly workspaceId: string; readonly changes: readonly Change[] }> {
  const { name, settings, policy, users, providers, teams = [], applications, collections = [], budgets = [] } = declared
  const known = (await findWorkspaceByName(tx, name)) ?? (await findDeclaredWorkspace(tx, name))
  const workspaceId = known?.id ?? newId('ws')
  const ledger = mode && (await Ledger.open(tx, workspaceId, mode, now))
  const context = { tx, workspaceId, now, workspaceBox, providerBox, ledger }
  const fields = { values: settings, merged: ['claims', 'review'] }
  const own = await applyItem(ledger, { object: 'workspace', name, declared: settings, fields }, (changed = settings) =>
    createOrUpdate('workspace', known && { ...known, name }, {
      create: () => createNewWorkspace(context, { name, settings }),
      compare: ({ settings: before }) =>
        findDifferences(before, fillWorkspaceSettings(patchWorkspaceSettings({ ...before }, changed))),
      update: ({ id }) => updateWorkspace(tx, id, { settings: changed }),
    }),
  )
  const drift = `was renamed to ${known?.name}`
  const changes = [
    ...own,
    ...(known && known.name !== name ? [{ ...changeOf('workspace', 'unchanged', { id: known.id, name }), drift }] : []),
  ]
  // The policies come first, because they govern the names of the users.
  const policyChanges = policy === undefined ? [] : await applyPolicy(context, policy)
  changes.push(
    ...(await applyEach('users', users, (user) => applyUser(context, user))),
    ...(await applyEach('providers', providers, (provider) => applyProvider(context, provider, 'config'))),
    ...(await applyEach('teams', teams, (team) => applyTeam(context, team))),
    ...(await applyEach('applications', applications, (application) => applyApplication(context, application))),
    ...(await applyEach('collections', collections, (collection) => applyCollection(context, collection))),
    ...(await applyEach('budgets', budgets, (budget) => applyBudget(context, budget))),
    ...policyChanges,
    ...(await finish(context)),
  )
  await ledger?.close()
  await recordChanges(context, changes)
  return { workspaceId, changes }
}

const PUBLISHER = 'gatehouse'

function applyPolicy({ tx, workspaceId, now, ledger }: ApplyContext, source: string): Promise<Change[]> {
  const sha256 = policySha256(source)
  // A policy set is one document: an edit of one rule must not remove the rule that an operator added in an emergency.
  const isReplaced = async (applied: string) => {
    const active = await findActivePolicySet(tx, workspaceId)
    return active !== undefined && active.sha256 !== applied && active.sha256 !== sha256
  }
  const item = { object: 'policy_set' as const, name: 'active', declared: source, sha256, isReplaced }
  return applyItem(ledger, item, async () => {
    const parsed = parsePolicySet(source)
    if (!parsed.ok) throw new DeclarationConflict('policy.file', 'is not a valid policy set')
    const active = await findActivePolicySet(tx, workspaceId)
    const activeName = `${active?.name} v${active?.version}`
    if (active?.sha256 === sha256) return [changeOf('policy_set', 'unchanged', { id: active.id, name: activeName })]
    const { name } = parsed.set
    const { id, version } = await publishPolicySet(tx, workspaceId, { name, source, sha256, publishedBy: PUBLISHER, now })
    const replaced = active && active.publishedBy !== PUBLISHER && `${activeName}, published over the API`
    const published = { id, name, version, sha256 }
    const change = { ...changeOf('policy_set', 'published', { id, name: `${name} v${version}` }), published }
    return [{ ...change, ...(replaced && { replaced }) }]
  })
}

/** Creates the Workspace `context.workspaceId` with keys of its audit log. Returns undefined if the name is taken. */
export async function createNewWorkspace(
  { tx, workspaceId: id, now, workspaceBox }: ApplyContext,
  create: WorkspaceCreate,
): Promise<Workspace | undefined> {
  await requireSecretKey(tx, workspaceBox)
  return createWorkspace(tx, id, create, createWorkspaceKeys(workspaceBox, id), now)
}
