import { deleteModel, listModels, putModels } from '../providers/model-store.ts'
import { applyProviderChange, PROVIDER_DEFAULTS, type ProviderSource } from '../providers/provider.ts'
import { createProvider, findProvider, updateProvider } from '../providers/provider-store.ts'
import { type Change, DeclarationConflict } from './change.ts'
import type { DeclaredModel, DeclaredProvider } from './declaration.ts'
import type { DeclaredFields } from './declared-fields.ts'
import { differences } from './differences.ts'
import { applyThing } from './ledger.ts'
import type { Scope } from './scope.ts'

const ALL = { limit: 100_000 }
const UNKNOWN = { upstreamName: null, inputPrice: null, outputPrice: null }

/** Providers are known by their ids. `by`: whose word it is, and so whether it may point at private addresses. */
export const applyProvider = (scope: Scope, declared: DeclaredProvider, by: Exclude<ProviderSource, 'api'>): Promise<Change[]> =>
  applyThing(scope.ledger, { object: 'provider', name: declared.id, declared, fields: fieldsOf(declared) }, (changed) =>
    createOrUpdate(scope, declared, by, changed),
  )

const fieldsOf = ({ fields, models }: DeclaredProvider): DeclaredFields => ({ values: { ...fields, models }, merged: [] })

/** `changed`: the fields to apply to a provider that is there already; absent: all of them. */
async function createOrUpdate(
  scope: Scope,
  whole: DeclaredProvider,
  by: Exclude<ProviderSource, 'api'>,
  changed: Partial<DeclaredProvider['fields'] & Pick<DeclaredProvider, 'models'>> | undefined,
): Promise<Change[]> {
  const { tx, workspaceId, now, providerBox: box } = scope
  const { id, kind } = whole
  const known = await findProvider(tx, workspaceId, id)
  const declared = known && changed ? narrowed(whole, changed) : whole
  if (known && known.kind !== kind) {
    throw new DeclarationConflict('kind', `is ${kind}, but ${id} is there already as ${known.kind}: choose another id`)
  }
  const fields = known ? differences(known, applyProviderChange(known, declared.fields, by)) : []
  if (!known) {
    const provider = { ...PROVIDER_DEFAULTS, baseUrl: null, ...declared.fields, id, kind, source: by }
    await createProvider(tx, workspaceId, provider, { box, now })
  } else if (fields.length > 0) await updateProvider(tx, workspaceId, id, declared.fields, { box, now, by })

  if (await applyModels(scope, declared)) fields.push('models')
  const done = !known ? 'created' : fields.length > 0 ? 'updated' : 'unchanged'
  return [{ done, object: 'provider', id, name: id, fields: fields.map(snakeCase) }]
}

function narrowed(
  { models: _, exactModels, ...whole }: DeclaredProvider,
  { models, ...fields }: Partial<DeclaredProvider['fields'] & Pick<DeclaredProvider, 'models'>>,
): DeclaredProvider {
  return { ...whole, fields, models: models ?? [], ...(models && exactModels !== undefined && { exactModels }) }
}

/** True when that changed something. */
async function applyModels({ tx, workspaceId, now }: Scope, { id, models, exactModels }: DeclaredProvider): Promise<boolean> {
  const stored = (await listModels(tx, workspaceId, id, ALL)).data.map(({ createdAt: _, ...model }) => model)
  const known = new Map<string, DeclaredModel>(stored.map((model) => [model.id, model]))
  const wanted = models.map((model) => ({ ...UNKNOWN, ...known.get(model.id), ...model }))
  const changed = wanted.filter((model) => differences(known.get(model.id) ?? {}, model).length > 0)
  await putModels(tx, workspaceId, id, changed, now)
  if (!exactModels) return changed.length > 0
  const kept = new Set(models.map((model) => model.id))
  const surplus = stored.filter((model) => !kept.has(model.id))
  for (const model of surplus) await deleteModel(tx, workspaceId, id, model.id)
  return changed.length + surplus.length > 0
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
