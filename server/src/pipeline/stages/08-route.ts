import type { Cache } from '../../lib/cache.ts'
import type { Health } from '../../providers/health.ts'
import type { Provider } from '../../providers/provider.ts'
import { allowedModels, eligible } from '../../providers/route.ts'
import type { Admitted, Authorized, Caller, Route } from '../facts.ts'
import { NOWHERE } from '../neutral.ts'
import { Passed, refuse, type Step } from '../outcome.ts'
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
  { request, tokens }: Admitted,
  { decision, steering, release, withheld }: Authorized,
  deps: RouteDeps,
): Promise<Step<Route>> {
  if (releasedAnswer(release) || withheld) return new Passed(NOWHERE)
  const providers = await deps.providers.get(application.workspaceId)
  if (request.messages.length === 0) return { candidates: [], models: allowedModels(providers, application) }

  const model = request.model || (application.defaultModel ?? '')
  const need = {
    model,
    application,
    classification: decision.classification,
    region: steering.region,
    provider: steering.provider,
    maxCost: steering.maxCost,
    tokens: { input: tokens, output: steering.maxTokens ?? request.maxTokens ?? UNBOUNDED_ANSWER_TOKENS },
  }
  const { candidates } = steering.unsatisfiable
    ? NOWHERE
    : eligible(providers, need, { rank: (provider) => deps.health.rank(provider), random: deps.random })
  // A dry run of what ends at the input says so (decisions.md §2.4): nobody would have been looked for.
  const endsBefore = request.dryRun && (decision.verdict === 'deny' || decision.verdict === 'require_approval')
  if (candidates.length > 0 || endsBefore) return { candidates, models: [] }
  return refuse('NO_ELIGIBLE_PROVIDER', {
    param: 'model',
    message: model
      ? `No provider may serve the model ${JSON.stringify(model)} for this request; GET /v1/models lists what this Application may use.`
      : 'The request names no model and the Application has no default model.',
  })
}
