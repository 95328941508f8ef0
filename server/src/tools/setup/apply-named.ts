import { type BudgetCreate, type BudgetPatch, budgetChangeOf, newBudgetOf } from '../../domains/budgets/budget.ts'
import { createBudget, findBudgetByName, isKnownTimeZone, updateBudget } from '../../domains/budgets/budget-store.ts'
import {
  type ApplicationCreate,
  type ApplicationRecord,
  applicationView,
  DEFAULT_CEILING,
  fillApplicationLimits,
  fillApplicationSettings,
  patchOverrides,
} from '../../domains/identity/application.ts'
import {
  createApplication,
  findApplicationByName,
  lockApplication,
  resolveApplications,
  updateApplication,
} from '../../domains/identity/application-store.ts'
import type { COLLECTION_DEFAULTS, CollectionPatch } from '../../domains/knowledge/collection.ts'
import { createCollection, findCollectionByName, updateCollection } from '../../domains/knowledge/collection-store.ts'
import { normalizedLabels } from '../../domains/knowledge/labels.ts'
import { applyKeys, keyMemberOf, teamMemberOf } from './apply-keys.ts'
import { type Change, createOrUpdate, DeclarationConflict, findDifferences } from './change.ts'
import type { DeclaredApplication, DeclaredBudget, DeclaredCollection } from './declaration.ts'
import { applyItem } from './ledger.ts'
import type { ApplyContext } from './recorded-change.ts'

// Objects of a Workspace that are identified by their names.

/** Objects whose fields are applied one by one. */
const MERGED = ['limits', 'settings', 'settings.knowledge', 'settings.memory', 'settings.responses']

export async function applyApplication(context: ApplyContext, { fields, keys }: DeclaredApplication): Promise<Change[]> {
  const { tx, workspaceId, now, ledger } = context
  const { name, ...values } = fields
  const find = () => findApplicationByName(tx, workspaceId, name)
  const item = { object: 'application' as const, name, declared: fields, fields: { values, merged: MERGED } }
  const changes = await applyItem(ledger, item, async (changed = values) =>
    createOrUpdate('application', await find(), {
      create: () => createApplication(tx, workspaceId, fields, now),
      compare: (known) => findDifferences(applicationView(known), patchedView(known, changed)),
      update: ({ id }) => updateApplication(tx, workspaceId, id, changed, now),
    }),
  )
  const { id = '' } = (await find()) ?? {}
  const application = await lockApplication(tx, workspaceId, id)
  // Archiving has revoked the keys, and a server must still start with the file.
  if (!application || application.archivedAt) return changes
  return [...changes, ...(await applyKeys(context, application, keys))]
}

/** A declared null restores the default. */
function patchedView(known: ApplicationRecord, { ceiling, settings, limits, ...plain }: Omit<ApplicationCreate, 'name'>) {
  const merged = patchOverrides(
    { settings: known.settings, limits: { ...known.limits } },
    { ...(settings && { settings }), ...(limits && { limits }) },
  )
  return {
    ...applicationView(known),
    ...plain,
    settings: fillApplicationSettings(merged.settings),
    limits: fillApplicationLimits(merged.limits),
    ...(ceiling !== undefined && { ceiling: ceiling ?? DEFAULT_CEILING }),
  }
}

export function applyBudget(context: ApplyContext, declared: DeclaredBudget): Promise<Change[]> {
  const { tx, workspaceId, now, ledger } = context
  const { name, limit, alerts, unpriced, enabled } = declared
  const values = {
    limit,
    ...(alerts !== undefined && { alerts }),
    ...(unpriced !== undefined && { unpriced }),
    ...(enabled !== undefined && { enabled }),
  }
  const item = { object: 'budget' as const, name, declared, fields: { values } }
  return applyItem(ledger, item, async (changed: Omit<BudgetPatch, 'name'> = values) => {
    const budget = newBudgetOf(await withIds(context, declared))
    const wanted = budgetChangeOf(changed, budget.unit)
    return createOrUpdate('budget', await findBudgetByName(tx, workspaceId, name), {
      create: async () => {
        if (!(await isKnownTimeZone(tx, budget.timeZone))) throw new DeclarationConflict('time_zone', 'is not a known time zone')
        return createBudget(tx, workspaceId, budget, now)
      },
      compare: (known) => {
        const { scope, claim, member, applicationId, unit, period, timeZone } = budget
        const [fixed] = findDifferences(known, { ...known, scope, claim, member, applicationId, unit, period, timeZone })
        if (fixed !== undefined)
          throw new DeclarationConflict(fixed, 'cannot change, because it decides what is counted: choose another name')
        return findDifferences(known, { ...known, ...wanted }).map((field) => (field === 'amount' ? 'limit' : field))
      },
      update: async ({ id }) => ({ ok: (await updateBudget(tx, workspaceId, id, wanted, now)) !== undefined }),
    })
  })
}

async function withIds(context: ApplyContext, { application, ...declared }: DeclaredBudget): Promise<BudgetCreate> {
  const idOf = async (name: string, param: string) => (await idsOf(context, [name], () => param))[0] ?? ''
  const { member, scope } = declared
  return {
    ...declared,
    ...(application && { application_id: await idOf(application, 'application') }),
    ...(member && scope === 'application' && { member: await idOf(member, 'member') }),
    ...(member && scope === 'team' && { member: await teamMemberOf(context, member) }),
    ...(member && scope === 'key' && { member: await keyMemberOf(context, member) }),
  }
}

/** Identifies the collection by its name. The documents of its folder are ingested later (tools/ingestion/ingest-folders.ts). */
export function applyCollection(context: ApplyContext, declared: DeclaredCollection): Promise<Change[]> {
  const { tx, workspaceId, now, ledger } = context
  const { name, fields, applications } = declared
  const values = { ...fields, ...(applications !== undefined && { applications }) }
  const hashed = { fields, applications: applications === undefined ? 'left out' : applications }
  const item = { object: 'collection' as const, name, declared: hashed, fields: { values } }
  return applyItem(ledger, item, async (changed: typeof values = values) => {
    const known = await findCollectionByName(tx, workspaceId, name)
    const patch = await withApplicationIds(context, known ? changed : values)
    return createOrUpdate('collection', known, {
      create: () => createCollection(tx, workspaceId, { ...patch, name }, now),
      compare: (stored) => findDifferences(comparableFields(stored), comparableFields({ ...stored, ...patch })),
      update: ({ id }) => updateCollection(tx, workspaceId, id, patch, now),
    })
  })
}

async function withApplicationIds(
  context: ApplyContext,
  { applications, ...fields }: Pick<DeclaredCollection, 'applications'> & DeclaredCollection['fields'],
): Promise<CollectionPatch> {
  if (applications === undefined) return fields
  if (applications === null) return { ...fields, applications }
  return { ...fields, applications: await idsOf(context, applications, (index) => `applications[${index}]`) }
}

const comparableFields = (collection: typeof COLLECTION_DEFAULTS) => ({
  description: collection.description,
  ...normalizedLabels(collection),
  language: collection.language,
  applications: collection.applications,
})

async function idsOf({ tx, workspaceId }: ApplyContext, names: readonly string[], paramOf: (index: number) => string) {
  const resolved = await resolveApplications(tx, workspaceId, names)
  if (!resolved.ok) throw new DeclarationConflict(paramOf(resolved.index), 'names no Application of this Workspace')
  return resolved.ids
}
