import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/environment.ts'
import type { EnvironmentProvider } from '../config/environment-providers.ts'
import type { ConnectionPools } from '../providers/connection-pools.ts'
import { discoverModels } from '../providers/discover-models.ts'
import { findModelProblem, findProviderProblem, PROVIDER_DEFAULTS } from '../providers/provider.ts'
import { findProvider, listProviders, loadProviders, updateProvider } from '../providers/provider-store.ts'
import { applyProvider } from './apply-provider.ts'
import { type Change, describeDrift } from './change.ts'
import { type ChangeDeps, changeWorkspace } from './change-recorded.ts'
import type { DeclaredProvider } from './declaration.ts'
import { Ledger } from './ledger.ts'
import type { Scope } from './scope.ts'

export interface EnvironmentSyncDeps extends ChangeDeps {
  readonly config: Pick<Config, 'providers' | 'allowPrivateUrls'>
  readonly fromEnvironment: (name: string) => string | undefined
  readonly pools: ConnectionPools
  readonly warn: (text: string) => void
}

/** How long a provider may take to name its models before the server starts without them. */
const ASK_MS = 3_000
const ALL = { limit: 10_000 }

/**
 * Brings a Workspace in line with the environment when it has changed: providers whose variables are set are there and enabled, those
 * whose variables are gone are disabled, and those that an operator declared under such an id stay the operator's. Answers the ids
 * of those that are set. Throws a ConfigError when a variable holds nonsense; a provider that does not answer is no reason
 * not to start.
 */
export async function syncEnvironmentProviders(workspaceId: string, deps: EnvironmentSyncDeps): Promise<string[]> {
  const { providers } = deps.config
  const declared = providers.map(declaredProvider)
  const ours: string[] = []
  await changeWorkspace(deps, workspaceId, async (scope) => {
    // What an operator has set over the API stays, until the variables say something else.
    const ledger = await Ledger.open(scope.tx, workspaceId, 'changed', scope.now)
    const changes: Change[] = await disableGone(scope, new Set(providers.map(({ id }) => id)), ledger)
    for (const provider of declared) {
      const known = await findProvider(scope.tx, workspaceId, provider.id)
      if (known && known.source !== 'environment') {
        deps.warn(`provider ${provider.id} is an operator's by now: its environment variables are not used`)
        continue
      }
      const thing = { object: 'provider' as const, name: fromEnvironment(provider.id), declared: provider }
      changes.push(...(await ledger.apply(thing, () => applyProvider(scope, provider, 'environment'))))
      ours.push(provider.id)
    }
    for (const drift of changes.flatMap((change) => describeDrift(change) ?? [])) deps.warn(`environment: ${drift}`)
    return changes
  })
  const unlisted = providers.filter(({ id, models }) => models === null && ours.includes(id))
  await Promise.all(unlisted.map(({ id }) => askForModels(workspaceId, id, deps)))
  return ours
}

function declaredProvider({ id, baseUrl, apiKeyEnv, models }: EnvironmentProvider): DeclaredProvider {
  const prefix = id.toUpperCase()
  const fields = { baseUrl, apiKeyEnv, enabled: true }
  const problem = findProviderProblem({ ...PROVIDER_DEFAULTS, ...fields, id, kind: 'openai', source: 'environment' }, true)
  if (problem) throw new ConfigError(`${apiKeyEnv === null ? `${prefix}_HOST` : `${prefix}_BASE_URL`} ${problem.message}`)
  for (const model of models ?? []) {
    const wrong = findModelProblem({ id: model, upstreamName: null, inputPrice: null, outputPrice: null })
    if (wrong) throw new ConfigError(`${prefix}_MODELS: every name ${wrong.message}`)
  }
  return { id, kind: 'openai', fields, models: (models ?? []).map((model) => ({ id: model })), exactModels: models !== null }
}

/** Providers of the environment are remembered apart from those that a file declares. */
const fromEnvironment = (id: string): string => `environment:${id}`

async function disableGone(
  { tx, workspaceId, now, providerBox: box }: Scope,
  present: ReadonlySet<string>,
  ledger: Ledger,
): Promise<Change[]> {
  const changes: Change[] = []
  const { data } = await listProviders(tx, workspaceId, ALL)
  for (const { id, source, enabled } of data) {
    if (source !== 'environment' || present.has(id)) continue
    await ledger.forget('provider', fromEnvironment(id))
    if (!enabled) continue
    await updateProvider(tx, workspaceId, id, { enabled: false }, { box, now, by: 'environment' })
    changes.push({ done: 'disabled', object: 'provider', id, name: id, fields: ['enabled'] })
  }
  return changes
}

/** What it answers replaces the models that are stored; when it does not answer, those stay. */
async function askForModels(workspaceId: string, id: string, deps: EnvironmentSyncDeps): Promise<void> {
  const { database, clock, config, fromEnvironment, providerBox: box, pools, warn } = deps
  const { allowPrivateUrls } = config
  const loaded = await loadProviders(database.db, workspaceId, { box, environment: fromEnvironment, allowPrivateUrls })
  const provider = loaded.find((each) => each.id === id)
  if (!provider) return
  const answer = await discoverModels({ ...provider, timeoutMs: ASK_MS }, pools, { clock })
  if (!answer.ok || answer.models.length === 0) {
    const why = answer.ok ? 'it names none' : answer.failure
    return warn(`provider ${id} was asked for its models in vain (${why}); ${id.toUpperCase()}_MODELS can name them`)
  }
  const models = answer.models.map((model) => ({ id: model }))
  await changeWorkspace(deps, workspaceId, (scope) =>
    applyProvider(scope, { id, kind: 'openai', fields: {}, models, exactModels: true }, 'environment'),
  )
}
