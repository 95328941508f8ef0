import type { ProviderSource } from '../../domains/providers/kinds.ts'
import { NO_PRICES } from '../../domains/providers/prices.ts'
import { applyProviderChange, providerDefaults } from '../../domains/providers/provider.ts'
import {
  createProvider,
  deleteModel,
  findProvider,
  listModels,
  putModels,
  updateProvider,
} from '../../domains/providers/provider-store.ts'
import { ALL_ROWS } from '../../platform/db/page.ts'
import { type Change, changeOf, DeclarationConflict, findDifferences } from './change.ts'
import type { DeclaredModel, DeclaredProvider } from './declaration.ts'
import { applyItem } from './ledger.ts'
import type { ApplyContext } from './recorded-change.ts'

const MODEL_DEFAULTS = { upstreamName: null, api: 'chat', fallbackOrder: 0, ...NO_PRICES } as const

type ProviderValues = Partial<DeclaredProvider['fields'] & Pick<DeclaredProvider, 'models'>>

/** Identifies the provider by its id. `by`: source of the declaration, which decides whether private addresses are allowed. */
export function applyProvider(
  context: ApplyContext,
  complete: DeclaredProvider,
  by: Exclude<ProviderSource, 'api'>,
): Promise<Change[]> {
  const { tx, workspaceId, now, ledger, providerBox: box } = context
  const { id, kind } = complete
  const item = { object: 'provider' as const, name: id, declared: complete }
  const values = { ...complete.fields, models: complete.models }
  return applyItem(ledger, { ...item, fields: { values } }, async (changed?: ProviderValues) => {
    const known = await findProvider(tx, workspaceId, id)
    const declared = known && changed ? pickChanged(complete, changed) : complete
    if (known && known.kind !== kind)
      throw new DeclarationConflict('kind', `is ${kind}, but the provider ${id} exists and is ${known.kind}: choose another id`)
    const fields = known ? findDifferences(known, applyProviderChange(known, declared.fields, by)) : []
    if (!known) {
      const provider = { ...providerDefaults(kind, declared.fields.preset), ...declared.fields, id, source: by }
      await createProvider(tx, workspaceId, provider, { box, now })
    } else if (fields.length > 0) await updateProvider(tx, workspaceId, id, declared.fields, { box, now, by })

    if (await applyModels(context, declared)) fields.push('models')
    const done = !known ? 'created' : fields.length > 0 ? 'updated' : 'unchanged'
    return [changeOf('provider', done, { id, name: id }, fields.map(snakeCase))]
  })
}

function pickChanged(
  { models: _, exactModels, ...complete }: DeclaredProvider,
  { models, ...fields }: ProviderValues,
): DeclaredProvider {
  return { ...complete, fields, models: models ?? [], ...(models && exactModels !== undefined && { exactModels }) }
}

async function applyModels(
  { tx, workspaceId, now }: ApplyContext,
  { id, models, exactModels }: DeclaredProvider,
): Promise<boolean> {
  const stored = (await listModels(tx, workspaceId, id, ALL_ROWS)).data.map(({ createdAt: _, ...model }) => model)
  const known = new Map<string, DeclaredModel>(stored.map((model) => [model.id, model]))
  const target = models.map((model) => ({ ...MODEL_DEFAULTS, ...known.get(model.id), ...model }))
  const changed = target.filter((model) => findDifferences(known.get(model.id) ?? {}, model).length > 0)
  await putModels(tx, workspaceId, id, changed, now)
  if (!exactModels) return changed.length > 0
  const declaredIds = new Set(models.map((model) => model.id))
  const surplus = stored.filter((model) => !declaredIds.has(model.id))
  for (const model of surplus) await deleteModel(tx, workspaceId, id, model.id)
  return changed.length + surplus.length > 0
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
