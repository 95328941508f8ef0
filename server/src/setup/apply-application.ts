import {
  type ApplicationCreate,
  type ApplicationRecord,
  DEFAULT_CEILING,
  fillApplicationLimits,
  fillApplicationSettings,
  patchOverrides,
} from '../identity/application.ts'
import { createApplication, findApplicationByName, updateApplication } from '../identity/application-store.ts'
import { applyKeys } from './apply-keys.ts'
import { type Change, DeclarationConflict } from './change.ts'
import type { DeclaredApplication } from './declaration.ts'
import { differences } from './differences.ts'
import { applyThing } from './ledger.ts'
import type { Scope } from './scope.ts'

const MERGED = ['limits', 'settings', 'settings.knowledge', 'settings.memory']

/** Applications are known by their names. */
export async function applyApplication(scope: Scope, { fields, keys }: DeclaredApplication): Promise<Change[]> {
  const find = () => findApplicationByName(scope.tx, scope.workspaceId, fields.name)
  const { name, ...values } = fields
  const thing = { object: 'application' as const, name, declared: fields, fields: { values, merged: MERGED } }
  const changes = await applyThing(scope.ledger, thing, async (changed = values) => {
    const known = await find()
    return [known ? await update(scope, known, { ...changed, name }) : await create(scope, fields)]
  })
  const application = await find()
  return application ? [...changes, ...(await applyKeys(scope, application, keys))] : changes
}

const changed = ({ id, name }: ApplicationRecord, done: Change['done'], fields: readonly string[] = []): Change => ({
  done,
  object: 'application',
  id,
  name,
  fields,
})

async function create({ tx, workspaceId, now }: Scope, fields: ApplicationCreate): Promise<Change> {
  const application = await createApplication(tx, workspaceId, fields, now)
  if (!application) throw new DeclarationConflict('name', 'was taken at this very moment; apply again')
  return changed(application, 'created')
}

async function update({ tx, workspaceId, now }: Scope, known: ApplicationRecord, fields: ApplicationCreate): Promise<Change> {
  const fieldNames = differences(comparable(known), afterPatch(known, fields))
  if (fieldNames.length === 0) return changed(known, 'unchanged')
  const updated = await updateApplication(tx, workspaceId, known.id, fields, now)
  if (!updated.ok) throw new DeclarationConflict('name', `cannot be updated: ${updated.reason}`)
  return changed(updated.application, 'updated', fieldNames)
}

const comparable = ({ settings, limits, models, providers, defaultModel, ceiling }: ApplicationRecord) => ({
  settings,
  limits,
  models,
  providers,
  default_model: defaultModel,
  ceiling,
})

/** The same with every declared field in its place: null is the default. */
function afterPatch(known: ApplicationRecord, { name: _, ceiling, settings, limits, ...plain }: ApplicationCreate) {
  const merged = patchOverrides(
    { settings: known.settings, limits: { ...known.limits } },
    { ...(settings && { settings }), ...(limits && { limits }) },
  )
  return {
    ...comparable(known),
    ...plain,
    settings: fillApplicationSettings(merged.settings),
    limits: fillApplicationLimits(merged.limits),
    ...(ceiling !== undefined && { ceiling: ceiling ?? DEFAULT_CEILING }),
  }
}
