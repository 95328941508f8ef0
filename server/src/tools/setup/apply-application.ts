import {
  type ApplicationCreate,
  type ApplicationRecord,
  DEFAULT_CEILING,
  fillApplicationLimits,
  fillApplicationSettings,
  patchOverrides,
} from '../../domains/identity/application.ts'
import { createApplication, findApplicationByName, updateApplication } from '../../domains/identity/application-store.ts'
import { applyKeys } from './apply-keys.ts'
import { type Change, changeOf, DeclarationConflict } from './change.ts'
import type { DeclaredApplication } from './declaration.ts'
import { findDifferences } from './differences.ts'
import { applyItem } from './ledger.ts'
import type { ApplyContext } from './recorded-change.ts'

/** Objects whose fields are applied one by one. */
const MERGED = ['limits', 'settings', 'settings.knowledge', 'settings.memory', 'settings.responses']

/** Identifies the Application by its name. */
export async function applyApplication(context: ApplyContext, { fields, keys }: DeclaredApplication): Promise<Change[]> {
  const find = () => findApplicationByName(context.tx, context.workspaceId, fields.name)
  const { name, ...values } = fields
  const item = { object: 'application' as const, name, declared: fields, fields: { values, merged: MERGED } }
  const changes = await applyItem(context.ledger, item, async (changed = values) => {
    const known = await find()
    return [known ? await update(context, known, { ...changed, name }) : await create(context, fields)]
  })
  const application = await find()
  return application ? [...changes, ...(await applyKeys(context, application, keys))] : changes
}

async function create({ tx, workspaceId, now }: ApplyContext, fields: ApplicationCreate): Promise<Change> {
  const application = await createApplication(tx, workspaceId, fields, now)
  if (!application) throw new DeclarationConflict('name', 'was taken by another Application in the meantime; apply again')
  return changeOf('application', 'created', application)
}

async function update(
  { tx, workspaceId, now }: ApplyContext,
  known: ApplicationRecord,
  fields: ApplicationCreate,
): Promise<Change> {
  const fieldNames = findDifferences(comparableFields(known), patchedFields(known, fields))
  if (fieldNames.length === 0) return changeOf('application', 'unchanged', known)
  const updated = await updateApplication(tx, workspaceId, known.id, fields, now)
  if (!updated.ok) throw new DeclarationConflict('name', `cannot be updated: ${updated.reason}`)
  return changeOf('application', 'updated', updated.application, fieldNames)
}

const comparableFields = ({ settings, limits, models, providers, defaultModel, ceiling }: ApplicationRecord) => ({
  settings,
  limits,
  models,
  providers,
  default_model: defaultModel,
  ceiling,
})

/** The fields after the update. A declared null restores the default. */
function patchedFields(known: ApplicationRecord, { name: _, ceiling, settings, limits, ...plain }: ApplicationCreate) {
  const merged = patchOverrides(
    { settings: known.settings, limits: { ...known.limits } },
    { ...(settings && { settings }), ...(limits && { limits }) },
  )
  return {
    ...comparableFields(known),
    ...plain,
    settings: fillApplicationSettings(merged.settings),
    limits: fillApplicationLimits(merged.limits),
    ...(ceiling !== undefined && { ceiling: ceiling ?? DEFAULT_CEILING }),
  }
}
