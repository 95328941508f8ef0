import { type Classification, classificationRank } from '../domain/classification.ts'
import type { Application } from '../domain/principal.ts'
import type { Provider, ProviderModel } from './provider.ts'

/** A provider that may serve the request, and the model by which it does. */
export interface Candidate {
  readonly provider: Provider
  readonly model: ProviderModel
}

export interface RouteRequirements {
  /** `model`, or `provider/model` to name one provider's. */
  readonly model: string
  readonly application: Pick<Application, 'models' | 'providers' | 'ceiling'>
  /** Of everything that would be sent. */
  readonly classification: Classification
  /** Directive `route:region`: only providers of this region; one without a region is of none. */
  readonly region?: string | undefined
  /** Directive `route:provider`. */
  readonly provider?: string | undefined
  /** Directive `route:max_cost`: what this exchange may cost by estimate, in the currency of the prices. Unknown prices fail it. */
  readonly maxCost?: number | undefined
  /** Estimates of what goes in and of what may come out; only looked at with `maxCost`. */
  readonly tokens?: { readonly input: number; readonly output: number }
}

/** Why nobody, or one provider, may serve: for the record and the log, never for the caller (a foreign model looks unknown). */
export type Exclusion = 'model' | 'ceiling' | 'classification' | 'provider' | 'region' | 'cost' | 'disabled' | 'unusable'

export interface Route {
  /** In the order to try them. */
  readonly candidates: readonly Candidate[]
  /** Providers left out that offer an allowed model of that name; empty when nobody does. */
  readonly excluded: readonly { readonly provider: string; readonly reason: Exclusion }[]
}

export interface RouteDeps {
  /** Lower is better; compared before the weights. */
  readonly rank: (provider: Provider) => number
  /** From 0 up to but not including 1. */
  readonly random: () => number
}

/**
 * Who may serve a request, the best first: by health, then by a weighted draw, so that equally able providers share the
 * traffic and the next ones stand ready as fallbacks.
 */
export function selectCandidates(providers: readonly Provider[], need: RouteRequirements, deps: RouteDeps): Route {
  const candidates: Candidate[] = []
  const excluded: { provider: string; reason: Exclusion }[] = []
  for (const provider of providers) {
    const model = offeredModel(provider, need)
    if (!model) continue
    const reason = exclusion(provider, model, need)
    if (reason === undefined) candidates.push({ provider, model })
    else excluded.push({ provider: provider.id, reason })
  }
  return { candidates: candidates.length > 1 ? draw(candidates, deps) : candidates, excluded }
}

/** Those of the candidates that may also serve something that came to light after they were chosen. */
export const filterCandidates = (
  candidates: readonly Candidate[],
  need: Omit<RouteRequirements, 'model'>,
): readonly Candidate[] => candidates.filter(({ provider, model }) => exclusion(provider, model, need) === undefined)

function offeredModel(provider: Provider, { model: name, application }: RouteRequirements): ProviderModel | undefined {
  const found = findModel(provider, name)
  return found && isModelAllowed(application, provider.id, found.id) ? found : undefined
}

function findModel({ id, models }: Provider, name: string): ProviderModel | undefined {
  const exact = models.find((model) => model.id === name)
  if (exact || !name.startsWith(`${id}/`)) return exact
  const rest = name.slice(id.length + 1)
  return models.find((model) => model.id === rest)
}

function exclusion(provider: Provider, model: ProviderModel, need: Omit<RouteRequirements, 'model'>): Exclusion | undefined {
  if (!provider.enabled) return 'disabled'
  if (provider.problem !== undefined) return 'unusable'
  const rank = classificationRank(need.classification)
  if (rank > classificationRank(need.application.ceiling)) return 'ceiling'
  if (rank > classificationRank(provider.maxClassification)) return 'classification'
  if (need.provider !== undefined && need.provider !== provider.id) return 'provider'
  if (need.region !== undefined && need.region !== provider.region) return 'region'
  if (need.maxCost !== undefined && !(estimate(model, need.tokens) <= need.maxCost)) return 'cost'
  return undefined
}

const PER_PRICE = 1_000_000

/** NaN when a price is unknown, which no comparison passes. */
function estimate({ inputPrice, outputPrice }: ProviderModel, tokens = { input: 0, output: 0 }): number {
  if (inputPrice === null || outputPrice === null) return Number.NaN
  return (tokens.input * inputPrice + tokens.output * outputPrice) / PER_PRICE
}

/** Weighted order without replacement (Efraimidis and Spirakis): the smallest −ln(u)/w comes first. */
function draw(candidates: readonly Candidate[], { rank, random }: RouteDeps): Candidate[] {
  return candidates
    .map((candidate) => {
      const { provider } = candidate
      const key = provider.weight > 0 ? -Math.log(1 - random()) / provider.weight : Number.MAX_VALUE
      return { candidate, rank: rank(provider), key }
    })
    .sort((a, b) => a.rank - b.rank || a.key - b.key)
    .map(({ candidate }) => candidate)
}

/** True when the Application may use that model of that provider. */
export function isModelAllowed(
  { models, providers }: Pick<Application, 'models' | 'providers'>,
  providerId: string,
  modelId: string,
): boolean {
  if (providers !== null && !providers.includes(providerId)) return false
  return (
    models === null ||
    models.some((pattern) => matchesPattern(pattern, modelId) || matchesPattern(pattern, `${providerId}/${modelId}`))
  )
}

/** `*` stands for any run of characters, also an empty one; everything else for itself. Worst case pattern × text, no regular expression. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text
  let p = 0
  let star = -1
  let mark = 0
  for (let t = 0; t < text.length; ) {
    if (pattern[p] === '*') {
      star = p++
      mark = t
    } else if (pattern[p] === text[t]) {
      p++
      t++
    } else if (star >= 0) {
      p = star + 1
      t = ++mark
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

/** An entry of the models list, without the constant `object` (GW-MOD-1). */
export interface ModelEntry {
  readonly id: string
  /** The provider's id; of several that offer the model, the alphabetically first. */
  readonly owned_by: string
  /** Unix seconds. */
  readonly created: number
}

/** The entry of one model that the Application may use, named as in a chat: `model`, or `provider/model`. */
export function findAllowedModel(
  providers: readonly Provider[],
  application: Pick<Application, 'models' | 'providers'>,
  name: string,
): ModelEntry | undefined {
  const entryOf = (some: readonly Provider[], model: string) =>
    listAllowedModels(some, application).find(({ id }) => id === model)
  const exact = entryOf(providers, name)
  if (exact) return exact
  const provider = providers.find(({ id, models }) => models.some((model) => `${id}/${model.id}` === name))
  const found = provider && entryOf([provider], name.slice(provider.id.length + 1))
  return found && { ...found, id: name }
}

/** The models an Application may use, each once, by id. Providers that are switched off or unusable offer none. */
export function listAllowedModels(
  providers: readonly Provider[],
  application: Pick<Application, 'models' | 'providers'>,
): ModelEntry[] {
  const entries = new Map<string, ModelEntry>()
  for (const { id: owned_by, enabled, problem, models } of providers) {
    if (!enabled || problem !== undefined) continue
    for (const { id, createdAt } of models) {
      const known = entries.get(id)
      if ((known && known.owned_by <= owned_by) || !isModelAllowed(application, owned_by, id)) continue
      entries.set(id, { id, owned_by, created: Math.floor(createdAt.getTime() / 1_000) })
    }
  }
  return [...entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}
