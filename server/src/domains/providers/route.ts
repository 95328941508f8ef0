import type { ErrorFields } from '../../errors.ts'
import { type Classification, classificationRank } from '../../shared/classification.ts'
import type { Application } from '../../shared/principal.ts'
import { isPriced, priceOf } from './price.ts'
import type { Provider, ProviderModel } from './provider.ts'

export interface Candidate {
  readonly provider: Provider
  readonly model: ProviderModel
}

export interface RouteRequirements {
  /** `model`, or `provider/model` for the model of one provider. */
  readonly model: string
  readonly application: Permissions & Pick<Application, 'ceiling'>
  readonly classification: Classification
  /** Directive `route:region`: only providers of this region. A provider without a region is not eligible. */
  readonly region?: string | undefined
  readonly provider?: string | undefined
  /** Directive `route:max_cost`: maximum estimated cost in USD. A model with an unknown price is not eligible. */
  readonly maxCost?: number | undefined
  /** Estimated tokens of request and completion, and the time of the prices. `output`: undefined if there is no completion. */
  readonly tokens?: { readonly input: number; readonly output: number | undefined; readonly at: Date } | undefined
}

/** Why a provider may not serve the request. Never sent to clients, because a model that is not allowed must look unknown. */
export type Exclusion = 'model' | 'ceiling' | 'classification' | 'provider' | 'region' | 'cost' | 'disabled' | 'unusable'

export interface Route {
  readonly candidates: readonly Candidate[]
  /** Providers that offer an allowed model of that name but may not serve the request. */
  readonly excluded: readonly { readonly provider: string; readonly reason: Exclusion }[]
}

export interface RouteDeps {
  readonly rank: (provider: Provider) => number
  readonly random: () => number
}

/**
 * The providers that may serve a request, ordered by rank, then by the operator's order of fallbacks, and then by a weighted draw, so that
 * equal providers share requests.
 */
export function selectCandidates(providers: readonly Provider[], requirements: RouteRequirements, deps: RouteDeps): Route {
  const candidates: Candidate[] = []
  const excluded: { provider: string; reason: Exclusion }[] = []
  for (const provider of providers) {
    const model = findOfferedModel(provider, requirements)
    if (!model) continue
    const reason = findExclusion(provider, model, requirements)
    if (reason === undefined) candidates.push({ provider, model })
    else excluded.push({ provider: provider.id, reason })
  }
  return { candidates: candidates.length > 1 ? sortByDraw(candidates, deps) : candidates, excluded }
}

export const filterCandidates = (
  candidates: readonly Candidate[],
  requirements: Omit<RouteRequirements, 'model'>,
): readonly Candidate[] => candidates.filter(({ provider, model }) => findExclusion(provider, model, requirements) === undefined)

type Offer = Pick<RouteRequirements, 'model' | 'application'>

function findOfferedModel(provider: Provider, { model: name, application }: Offer): ProviderModel | undefined {
  const found = findModel(provider, name)
  return found && isModelAllowed(application, provider.id, found.id) ? found : undefined
}

/** Content is not taken into account: policies read this before the content's classification selects providers. */
export const areOffersPriced = (
  providers: readonly Provider[],
  requirements: Offer,
  { at, hasOutput }: { readonly at: Date; readonly hasOutput: boolean },
): boolean =>
  providers.every((provider) => {
    const model = provider.enabled && provider.problem === undefined ? findOfferedModel(provider, requirements) : undefined
    return !model || isPriced(priceOf(provider, model, at), hasOutput)
  })

function findModel({ id, models }: Provider, name: string): ProviderModel | undefined {
  const exact = models.find((model) => model.id === name)
  if (exact || !name.startsWith(`${id}/`)) return exact
  const unqualified = name.slice(id.length + 1)
  return models.find((model) => model.id === unqualified)
}

/** Whether a provider of the Workspace declares a model of this name: all other names are text of the client. */
export const isDeclaredModel = (providers: readonly Provider[], name: string): boolean =>
  providers.some((provider) => findModel(provider, name) !== undefined)

function findExclusion(
  provider: Provider,
  model: ProviderModel,
  { classification, application, provider: id = provider.id, region, maxCost, tokens }: Omit<RouteRequirements, 'model'>,
): Exclusion | undefined {
  if (!provider.enabled) return 'disabled'
  if (provider.problem !== undefined) return 'unusable'
  const rank = classificationRank(classification)
  if (rank > classificationRank(application.ceiling)) return 'ceiling'
  if (rank > classificationRank(provider.maxClassification)) return 'classification'
  if (id !== provider.id) return 'provider'
  if (region !== undefined && region !== provider.region) return 'region'
  if (maxCost === undefined) return undefined
  const cost = tokens && priceOf(provider, model, tokens.at)?.costOf(tokens)
  // The cost is undefined or NaN if a price is unknown.
  return cost !== undefined && cost <= maxCost ? undefined : 'cost'
}

/** Weighted random order without replacement (Efraimidis and Spirakis 2006): the smallest −ln(u)/w comes first. */
function sortByDraw(candidates: readonly Candidate[], { rank, random }: RouteDeps): Candidate[] {
  return candidates
    .map((candidate) => {
      const { provider, model } = candidate
      const key = provider.weight > 0 ? -Math.log(1 - random()) / provider.weight : Number.MAX_VALUE
      return { candidate, rank: rank(provider), order: model.fallbackOrder ?? 0, key }
    })
    .sort((a, b) => a.rank - b.rank || a.order - b.order || a.key - b.key)
    .map(({ candidate }) => candidate)
}

type Permissions = Pick<Application, 'models' | 'providers' | 'restrictions'>

export function isModelAllowed({ models, providers, restrictions }: Permissions, providerId: string, modelId: string): boolean {
  if (providers !== null && !providers.includes(providerId)) return false
  if (!isListed(models, providerId, modelId)) return false
  return restrictions === undefined || restrictions.every((restriction) => isListed(restriction.models, providerId, modelId))
}

function isListed(models: readonly string[] | null, providerId: string, modelId: string): boolean {
  if (models === null) return true
  const names = [modelId, `${providerId}/${modelId}`]
  return models.some((pattern) => names.some((name) => matchesPattern(pattern, name)))
}

/** `*` matches any characters or none. Takes at most pattern × text steps, which a regular expression cannot guarantee. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text
  let p = 0
  let star = -1
  let resumeAt = 0
  for (let t = 0; t < text.length; ) {
    if (pattern[p] === '*') {
      star = p++
      resumeAt = t
    } else if (pattern[p] === text[t]) {
      p++
      t++
    } else if (star >= 0) {
      p = star + 1
      t = ++resumeAt
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

export interface ModelEntry {
  readonly id: string
  /** Id of the provider; if several offer the model, the alphabetically first. */
  readonly owned_by: string
  readonly created: number
}

/** The entry of a model that the Application may use. `name`: `model` or `provider/model`, as in a chat. */
export function findAllowedModel(providers: readonly Provider[], application: Permissions, name: string): ModelEntry | undefined {
  const entryOf = (offering: readonly Provider[], model: string) =>
    listAllowedModels(offering, application).find(({ id }) => id === model)
  const exact = entryOf(providers, name)
  if (exact) return exact
  const provider = providers.find(({ id, models }) => models.some((model) => `${id}/${model.id}` === name))
  const found = provider && entryOf([provider], name.slice(provider.id.length + 1))
  return found && { ...found, id: name }
}

/** The models that an Application may use, each once, by id. Disabled and unusable providers offer none. */
export function listAllowedModels(providers: readonly Provider[], application: Permissions): ModelEntry[] {
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

const MODELS_IN_MESSAGE = 10
const MODELS_IN_DETAILS = 50

/** Fields of the error NO_ELIGIBLE_PROVIDER. `model`: empty if the request names none. `allowed`: of the caller. */
export function noEligibleProvider(model: string, allowed: readonly ModelEntry[], { restrictions }: Permissions): ErrorFields {
  const ids = allowed.map(({ id }) => id)
  const shown = ids.slice(0, MODELS_IN_MESSAGE).join(', ')
  const more = ids.length > MODELS_IN_MESSAGE ? ` and ${ids.length - MODELS_IN_MESSAGE} more` : ''
  const owners = (restrictions ?? []).filter(({ models }) => models !== null).map(({ owner }) => owner)
  const caller = owners.length > 0 ? 'This API key' : 'This Application'
  const setting = owners.length > 0 ? ` The setting "models" of ${owners.join(' and of ')} restricts them.` : ''
  const available = `${caller} may use${ids.length === 0 ? ' no model' : `: ${shown}${more}`}.${setting}`
  const problem = model
    ? `No provider may serve the model ${JSON.stringify(model)} for this request.`
    : 'The request names no model and the Application has no default model.'
  return { param: 'model', message: `${problem} ${available}`, details: { models: ids.slice(0, MODELS_IN_DETAILS) } }
}
