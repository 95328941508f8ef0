import {
  type ApplicationCreate,
  type ApplicationRecord,
  applicationView,
  DEFAULT_CEILING,
  fillApplicationLimits,
  fillApplicationSettings,
  patchOverrides,
} from '../../domains/identity/application.ts'
import { createApplication, findApplicationByName, updateApplication } from '../../domains/identity/application-store.ts'
import { applyKeys } from './apply-secrets.ts'
import { type Change, createOrUpdate, findDifferences } from './change.ts'
import type { DeclaredApplication } from './declaration.ts'
import { applyItem } from './ledger.ts'
import type { ApplyContext } from './recorded-change.ts'

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
  const application = await find()
  return application ? [...changes, ...(await applyKeys(context, application, keys))] : changes
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
