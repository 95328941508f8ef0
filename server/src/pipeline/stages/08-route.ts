import { refuse, Skipped, type StageReturn } from '../../domain/outcome.ts'
import type { Application } from '../../domain/principal.ts'
import { estimateRequestTokens, estimateTokens } from '../../domain/tokens.ts'
import type { Cache } from '../../lib/cache.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Health } from '../../providers/health.ts'
import { noEligibleProvider } from '../../providers/no-eligible-provider.ts'
import type { Provider } from '../../providers/provider.ts'
import { findAllowedModel, listAllowedModels, selectCandidates } from '../../providers/route.ts'
import { releasedCompletion } from '../../review/resubmission.ts'
import type { GatewayRequest } from '../request.ts'
import { type Authorized, NO_ROUTE, type RequestContext, type Route } from '../stage-results.ts'

export interface RouteDeps {
  /** A Workspace's providers by its id. */
  readonly providers: Cache<readonly Provider[]>
  readonly health: Health
  readonly clock: Clock
  readonly random: () => number
}

/** Tokens that `route:max_cost` assumes for a completion without a limit. */
const UNBOUNDED_TOKENS = 4_096

/** Stage 8 of 12: the providers that may serve the request, best first; for the models list, the models that the Application may use. */
export async function findRoute(
  { incoming, caller: { application }, admitted: { request } }: RequestContext,
  { decision, messages, parameters, systemTexts, context, steering, release, withheld }: Authorized,
  deps: RouteDeps,
): Promise<StageReturn<Route>> {
  if (releasedCompletion(release) || withheld) return new Skipped()
  const providers = await deps.providers.get(application.workspaceId)
  if (request.messages.length === 0) return listModels(providers, application, request.model)

  const isEmbedding = incoming.endpoint === 'embeddings'
  const added = isEmbedding ? [] : [...systemTexts, context].filter((text) => text !== '')
  const tokens = () => estimateTokens(added) + estimateRequestTokens({ messages, parameters })
  const output = () => (isEmbedding ? undefined : completionTokens(request, maxTokens))
  const model = request.model || (application.defaultModel ?? '')
  const { region, provider, maxCost, maxTokens, unsatisfiable } = steering
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
  // A dry run whose real run would have ended at the input reports that decision instead (GW-DRY-3).
  const endsBefore = request.dryRun && (decision.verdict === 'deny' || decision.verdict === 'require_approval')
  if (candidates.length > 0 || endsBefore) return { ...NO_ROUTE, tokens, candidates }
  return refuse('NO_ELIGIBLE_PROVIDER', noEligibleProvider(model, listAllowedModels(providers, application)))
}

/** All models of the Application, or the requested one. A model of another Application looks like one that does not exist. */
function listModels(providers: readonly Provider[], application: Application, name: string): StageReturn<Route> {
  if (name === '') return { ...NO_ROUTE, models: listAllowedModels(providers, application) }
  const model = findAllowedModel(providers, application, name)
  if (model) return { ...NO_ROUTE, models: [model] }
  return refuse('NOT_FOUND', {
    message: `This Application has no model ${JSON.stringify(name)}. GET /v1/models lists the models that it may use.`,
  })
}

/** Of all `n` completions that the request asks for. */
function completionTokens({ maxTokens, parameters }: GatewayRequest, bound: number | undefined): number {
  const longest = Math.min(maxTokens ?? bound ?? UNBOUNDED_TOKENS, bound ?? Number.POSITIVE_INFINITY)
  return longest * (typeof parameters.n === 'number' ? parameters.n : 1)
}
