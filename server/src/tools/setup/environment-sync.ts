import type { ConnectionPools } from '../../domains/providers/connection-pools.ts'
import { discoverModels } from '../../domains/providers/discover-models.ts'
import { isPresetId } from '../../domains/providers/presets.ts'
import { NO_PRICES } from '../../domains/providers/prices.ts'
import { findModelProblem, findProviderProblem, providerDefaults } from '../../domains/providers/provider.ts'
import { findProvider, listProviders, loadProviders, updateProvider } from '../../domains/providers/provider-store.ts'
import type { Config } from '../../platform/config/config.ts'
import { ConfigError } from '../../platform/config/environment.ts'
import type { EnvironmentProvider } from '../../platform/config/environment-providers.ts'
import { ALL_ROWS } from '../../platform/db/page.ts'
import { applyProvider } from './apply-provider.ts'
import { type Change, changeOf, describeDrift } from './change.ts'
import type { DeclaredProvider } from './declaration.ts'
import { Ledger } from './ledger.ts'
import { type ApplyContext, type ChangeDeps, changeWorkspace } from './recorded-change.ts'

interface SyncDeps extends ChangeDeps {
  readonly config: Pick<Config, 'providers' | 'allowPrivateUrls'>
  readonly fromEnvironment: (name: string) => string | undefined
  readonly pools: ConnectionPools
  readonly warn: (text: string) => void
}

/** Time limit for a provider's list of models. The server then starts without them. */
const DISCOVERY_MS = 3_000

/** ADM-ENV-8; skips ids that an operator uses. A provider that does not list its models does not stop the start. */
export async function syncEnvironmentProviders(workspaceId: string, deps: SyncDeps): Promise<string[]> {
  const { providers } = deps.config
  const declared = providers.map(declaredProvider)
  const synced: string[] = []
  await changeWorkspace(deps, workspaceId, async (context) => {
    // Mode `changed`: an operator's changes stay until the variables change.
    const ledger = await Ledger.open(context.tx, workspaceId, 'changed', context.now)
    const changes: Change[] = await disableRemoved(context, new Set(providers.map(({ id }) => id)), ledger)
    for (const provider of declared) {
      const known = await findProvider(context.tx, workspaceId, provider.id)
      if (known && known.source !== 'environment') {
        deps.warn(`provider ${provider.id} belongs to an operator now: its environment variables are not used`)
        continue
      }
      const item = { object: 'provider' as const, name: ledgerName(provider.id), declared: provider }
      changes.push(...(await ledger.apply(item, () => applyProvider(context, provider, 'environment'))))
      synced.push(provider.id)
    }
    for (const drift of changes.flatMap((change) => describeDrift(change) ?? [])) deps.warn(`environment: ${drift}`)
    return changes
  })
  const unlisted = providers.filter(({ id, models }) => models === null && synced.includes(id))
  await Promise.all(unlisted.map(({ id }) => discoverProviderModels(workspaceId, id, deps)))
  return synced
}

function declaredProvider({ id, kind, baseUrl, apiKeyEnv, models }: EnvironmentProvider): DeclaredProvider {
  const prefix = id.toUpperCase()
  const fields = { baseUrl, apiKeyEnv, enabled: true, ...(kind === 'openai' && isPresetId(id) && { preset: id }) }
  const problem = findProviderProblem({ ...providerDefaults(kind), ...fields, id, source: 'environment' }, true)
  if (problem) throw new ConfigError(`${apiKeyEnv === null ? `${prefix}_HOST` : `${prefix}_BASE_URL`} ${problem.message}`)
  for (const model of models ?? []) {
    const modelError = findModelProblem({ id: model, upstreamName: null, ...NO_PRICES }, kind)
    if (modelError) throw new ConfigError(`${prefix}_MODELS: every name ${modelError.message}`)
  }
  return { id, kind, fields, models: (models ?? []).map((model) => ({ id: model })), exactModels: models !== null }
}

const ledgerName = (id: string): string => `environment:${id}`

async function disableRemoved(
  { tx, workspaceId, now, providerBox: box }: ApplyContext,
  present: ReadonlySet<string>,
  ledger: Ledger,
): Promise<Change[]> {
  const changes: Change[] = []
  const { data } = await listProviders(tx, workspaceId, ALL_ROWS)
  for (const { id, source, enabled } of data) {
    if (source !== 'environment' || present.has(id)) continue
    await ledger.forget('provider', ledgerName(id))
    if (!enabled) continue
    await updateProvider(tx, workspaceId, id, { enabled: false }, { box, now, by: 'environment' })
    changes.push(changeOf('provider', 'disabled', { id, name: id }, ['enabled']))
  }
  return changes
}

/** Replaces the stored models by the provider's list. They stay if the provider does not respond. */
async function discoverProviderModels(workspaceId: string, id: string, deps: SyncDeps): Promise<void> {
  const { database, clock, config, fromEnvironment, providerBox: box, pools, warn } = deps
  const { allowPrivateUrls } = config
  const loaded = await loadProviders(database.db, workspaceId, { box, environment: fromEnvironment, allowPrivateUrls })
  const provider = loaded.find((candidate) => candidate.id === id)
  if (!provider) return
  const answer = await discoverModels({ ...provider, timeoutMs: DISCOVERY_MS }, pools, { clock })
  if (!answer.ok || !answer.list?.models.length) {
    const reason = answer.ok ? 'the list is empty' : answer.failure
    return warn(`provider ${id} does not list its models (${reason}): set ${id.toUpperCase()}_MODELS`)
  }
  const models = answer.list.models.map((model) => ({ id: model }))
  await changeWorkspace(deps, workspaceId, (context) =>
    applyProvider(context, { id, kind: provider.kind, fields: {}, models, exactModels: true }, 'environment'),
  )
}
