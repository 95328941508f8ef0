import { estimateRequestTokens, estimateTokens } from '../../domain/message.ts'
import type { Application } from '../../domain/principal.ts'
import type { Cache } from '../../lib/cache.ts'
import type { Health } from '../../providers/health.ts'
import type { Provider } from '../../providers/provider.ts'
import { allowedModel, allowedModels, eligible, type ModelEntry } from '../../providers/route.ts'
import type { Admitted, Authorized, Caller, Route } from '../facts.ts'
import { NOWHERE } from '../neutral.ts'
import { Passed, refuse, type Step, type Stop } from '../outcome.ts'
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
  if (request.messages.length === 0) return listed(providers, application, request.model)

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
  return noProvider(model, allowedModels(providers, application))
}

/** All models of the Application, or the one that was asked for. A model of another Application looks like one that does not exist. */
function listed(providers: readonly Provider[], application: Application, name: string): Step<Route> {
  if (name === '') return { ...NOWHERE, models: allowedModels(providers, application) }
  const model = allowedModel(providers, application, name)
  if (model) return { ...NOWHERE, models: [model] }
  return refuse('NOT_FOUND', {
    message: `This Application has no model ${JSON.stringify(name)}. GET /v1/models lists the models that it may use.`,
  })
}

/** Models that an error lists: in its message, and in its details. */
const MODELS_IN_MESSAGE = 10
const MODELS_IN_DETAILS = 50

function noProvider(model: string, allowed: readonly ModelEntry[]): Stop<never> {
  const ids = allowed.map(({ id }) => id)
  const shown = ids.slice(0, MODELS_IN_MESSAGE).join(', ')
  const more = ids.length > MODELS_IN_MESSAGE ? ` and ${ids.length - MODELS_IN_MESSAGE} more` : ''
  const available = ids.length === 0 ? 'This Application may use no model.' : `This Application may use: ${shown}${more}.`
  const problem = model
    ? `No provider may serve the model ${JSON.stringify(model)} for this request.`
    : 'The request names no model and the Application has no default model.'
  return refuse('NO_ELIGIBLE_PROVIDER', {
    param: 'model',
    message: `${problem} ${available}`,
    details: { models: ids.slice(0, MODELS_IN_DETAILS) },
  })
}

/** Of all the answers that were asked for: `n` says how many. */
function answerTokens({ maxTokens, parameters }: GatewayRequest, bound: number | undefined): number {
  const longest = Math.min(maxTokens ?? bound ?? UNBOUNDED_ANSWER_TOKENS, bound ?? Number.POSITIVE_INFINITY)
  return longest * (typeof parameters.n === 'number' ? parameters.n : 1)
}
