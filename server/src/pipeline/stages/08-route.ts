import { estimateRequestTokens, estimateTokens } from '../../domain/message.ts'
import type { Cache } from '../../lib/cache.ts'
import type { Health } from '../../providers/health.ts'
import type { Provider } from '../../providers/provider.ts'
import { allowedModels, eligible } from '../../providers/route.ts'
import type { Admitted, Authorized, Caller, Route } from '../facts.ts'
import { NOWHERE } from '../neutral.ts'
import { Passed, refuse, type Step } from '../outcome.ts'
import type { GatewayRequest } from '../request.ts'
import { releasedAnswer } from '../resubmission.ts'

export interface RouteDeps {
  /** A Workspace's providers by its id. */
  readonly providers: Cache<readonly Provider[]>
  readonly health: Health
  readonly random: () => number
}

/** Tokens of an answer that nobody bounded: what `route:max_cost` reckons with. */
const UNBOUNDED_ANSWER_TOKENS = 4_096

/**
 * Stage 8 of 12: which providers may serve this, the best first; for the models list, which models the Application may use.
 * A model of another Application looks like one that nobody offers.
 */
export async function route(
  { application }: Caller,
  { request }: Admitted,
  { decision, messages, parameters, systemTexts, steering, release, withheld }: Authorized,
  deps: RouteDeps,
): Promise<Step<Route>> {
  if (releasedAnswer(release) || withheld) return new Passed(NOWHERE)
  const providers = await deps.providers.get(application.workspaceId)
  if (request.messages.length === 0) return { ...NOWHERE, models: allowedModels(providers, application) }

  const tokens = () => estimateTokens(systemTexts) + estimateRequestTokens({ messages, parameters })
  const model = request.model || (application.defaultModel ?? '')
  const need = {
    model,
    application,
    classification: decision.classification,
    region: steering.region,
    provider: steering.provider,
    maxCost: steering.maxCost,
    ...(steering.maxCost !== undefined && { tokens: { input: tokens(), output: answerTokens(request, steering.maxTokens) } }),
  }
  const { candidates } = steering.unsatisfiable
    ? NOWHERE
    : eligible(providers, need, { rank: (provider) => deps.health.rank(provider), random: deps.random })
  // A dry run of what ends at the input says so (decisions.md §2.4): nobody would have been looked for.
  const endsBefore = request.dryRun && (decision.verdict === 'deny' || decision.verdict === 'require_approval')
  if (candidates.length > 0 || endsBefore) return { ...NOWHERE, tokens, candidates }
  return refuse('NO_ELIGIBLE_PROVIDER', {
    param: 'model',
    message: model
      ? `No provider may serve the model ${JSON.stringify(model)} for this request; GET /v1/models lists what this Application may use.`
      : 'The request names no model and the Application has no default model.',
  })
}

/** Of all the answers that were asked for: `n` says how many. */
function answerTokens({ maxTokens, parameters }: GatewayRequest, bound: number | undefined): number {
  const longest = Math.min(maxTokens ?? bound ?? UNBOUNDED_ANSWER_TOKENS, bound ?? Number.POSITIVE_INFINITY)
  return longest * (typeof parameters.n === 'number' ? parameters.n : 1)
}
