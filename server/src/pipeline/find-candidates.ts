import type { Health } from '../domains/providers/health.ts'
import { knownCost, priceOf } from '../domains/providers/price.ts'
import { requestedTier } from '../domains/providers/price-tier.ts'
import type { Provider } from '../domains/providers/provider.ts'
import { areOffersPriced, listAllowedModels, noEligibleProvider, selectCandidates } from '../domains/providers/route.ts'
import type { Cache } from '../platform/lib/cache.ts'
import type { Clock } from '../platform/lib/clock.ts'
import { andThen, type MaybePromise } from '../platform/lib/maybe-promise.ts'
import { refuse, type Stop } from '../shared/outcome.ts'
import { mostOutputTokens } from '../shared/output-limits.ts'
import { estimateRequestTokens, estimateTokens } from '../shared/tokens.ts'
import { ENDPOINT_PLANS } from './endpoints.ts'
import type { IncomingRequest } from './request.ts'
import { type Admitted, type Authorized, type Caller, NO_ROUTE, type RequestContext, type Route } from './stage-results.ts'

export interface RouteDeps {
  readonly providers: Cache<readonly Provider[]>
  readonly health: Health
  readonly clock: Clock
  readonly random: () => number
}

/** Tokens that `route:max_cost` and {@link expectCost} assume for a completion without a limit. */
const UNBOUNDED_TOKENS = 4_096

/** The providers that may serve the request, best first. A request without one is refused. */
export const findCandidates = (
  context: RequestContext,
  authorized: Authorized,
  deps: RouteDeps,
): MaybePromise<Route | Stop<never>> =>
  andThen(deps.providers.get(context.caller.application.workspaceId), (providers) =>
    candidatesAmong(providers, context, authorized, deps),
  )

function candidatesAmong(
  providers: readonly Provider[],
  { incoming, caller: { application }, admitted: { request } }: RequestContext,
  { decision, messages, parameters, systemTexts, context, directives }: Authorized,
  deps: RouteDeps,
): Route | Stop<never> {
  const isEmbedding = incoming.endpoint === 'embeddings'
  const added = isEmbedding ? [] : [...systemTexts, context].filter((text) => text !== '')
  const tokens = () => estimateTokens(added) + estimateRequestTokens({ messages, parameters })
  const output = () => (isEmbedding ? undefined : mostOutputTokens(request.parameters, maxTokens, UNBOUNDED_TOKENS))
  const model = request.model || (application.defaultModel ?? '')
  const { region, provider, maxCost, maxTokens, unsatisfiable } = directives
  const need = {
    model,
    application,
    classification: decision.classification,
    region,
    provider,
    maxCost,
    ...(maxCost !== undefined && { tokens: { input: tokens(), output: output(), at: deps.clock.now() } }),
  }
  const { candidates } = unsatisfiable
    ? NO_ROUTE
    : selectCandidates(providers, need, { rank: (provider) => deps.health.rank(provider), random: deps.random })
  if (candidates.length > 0) return { ...NO_ROUTE, tokens, candidates }
  return refuse('NO_ELIGIBLE_PROVIDER', noEligibleProvider(model, listAllowedModels(providers, application), application))
}

/** In USD, at the price of the first provider, with the longest completion; undefined: no price is known. */
export function expectCost(
  { candidates: [first], tokens }: Route,
  { admitted }: Pick<RequestContext, 'admitted'>,
  { directives }: Pick<Authorized, 'directives'>,
  { clock }: Pick<RouteDeps, 'clock'>,
): number | undefined {
  if (!first) return undefined
  const output = mostOutputTokens(admitted.request.parameters, directives.maxTokens, UNBOUNDED_TOKENS)
  return knownCost(priceOf(first.provider, first.model, clock.now()), { input: tokens(), output })
}

/** The request with the value of `request.priced`, which policies read before stage 8 selects the candidates. */
export function withPriced(
  { endpoint }: Pick<IncomingRequest, 'endpoint'>,
  { application }: Caller,
  admitted: Admitted,
  { providers, clock }: Pick<RouteDeps, 'providers' | 'clock'>,
): MaybePromise<Admitted> {
  if (!ENDPOINT_PLANS[endpoint].stages.has('invoke')) return admitted
  const model = admitted.request.model || (application.defaultModel ?? '')
  return andThen(providers.get(application.workspaceId), (declared) => {
    const options = { at: clock.now(), hasOutput: endpoint !== 'embeddings' }
    const arePriced = areOffersPriced(declared, { model, application }, options)
    return { ...admitted, priced: arePriced && requestedTier(admitted.request.parameters) === 'standard' }
  })
}
