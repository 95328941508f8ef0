import type { Health } from '../domains/providers/health.ts'
import { requestedTier } from '../domains/providers/price-tier.ts'
import { areOffersPriced, listAllowedModels, noEligibleProvider, selectCandidates } from '../domains/providers/route.ts'
import type { Clock } from '../platform/lib/clock.ts'
import { refuse, type Stop } from '../shared/outcome.ts'
import { mostOutputTokens } from '../shared/output-limits.ts'
import { estimateRequestTokens, estimateTokens } from '../shared/tokens.ts'
import { ENDPOINT_PLANS } from './endpoints.ts'
import type { IncomingRequest } from './request.ts'
import { type Admitted, type Authorized, type Caller, NO_ROUTE, type RequestContext, type Route } from './stage-results.ts'
import type { WorkspaceSnapshot } from './workspace-snapshot.ts'

export interface RouteDeps {
  readonly health: Health
  readonly clock: Clock
  readonly random: () => number
}

/** Tokens that `route:max_cost` assumes for a completion without a limit. */
const UNBOUNDED_TOKENS = 4_096

/** The providers that may serve the request, best first. A request without one is refused. */
export function findCandidates(
  { incoming, caller: { application }, admitted: { request }, workspace: { providers } }: RequestContext,
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
  return refuse('NO_ELIGIBLE_PROVIDER', noEligibleProvider(model, listAllowedModels(providers, application)))
}

/** The request with the value of `request.priced`, which policies read before stage 8 selects the candidates. */
export function withPriced(
  { endpoint }: Pick<IncomingRequest, 'endpoint'>,
  { application }: Caller,
  admitted: Admitted,
  { providers }: Pick<WorkspaceSnapshot, 'providers'>,
  { clock }: Pick<RouteDeps, 'clock'>,
): Admitted {
  if (!ENDPOINT_PLANS[endpoint].stages.has('invoke')) return admitted
  const model = admitted.request.model || (application.defaultModel ?? '')
  const at = clock.now()
  const arePriced = areOffersPriced(providers, { model, application }, { at, hasOutput: endpoint !== 'embeddings' })
  return { ...admitted, priced: arePriced && requestedTier(admitted.request.parameters) === 'standard' }
}
