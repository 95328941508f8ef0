import type { Provider } from '../../domains/providers/provider.ts'
import { findAllowedModel, listAllowedModels } from '../../domains/providers/route.ts'
import { releasedCompletion } from '../../domains/review/resubmission.ts'
import { andThen, type MaybePromise } from '../../platform/lib/maybe-promise.ts'
import { refuse, Skipped, type StageReturn, Stop } from '../../shared/outcome.ts'
import type { Application } from '../../shared/principal.ts'
import { findCandidates, type RouteDeps } from '../find-candidates.ts'
import { type Authorized, NO_ROUTE, type RequestContext, type Route } from '../stage-results.ts'

/** Stage 8 of 12: the providers that may serve the request, best first; for the models list, the models that the Application may use. */
export function findRoute(context: RequestContext, authorized: Authorized, deps: RouteDeps): MaybePromise<StageReturn<Route>> {
  const { decision, release, withheld } = authorized
  const { application } = context.caller
  const { request } = context.admitted
  if (releasedCompletion(release) || withheld) return new Skipped()
  if (request.messages.length === 0)
    return andThen(deps.providers.get(application.workspaceId), (providers) => listModels(providers, application, request.model))
  // A dry run whose real run would have ended at the input reports that decision instead (GW-DRY-3).
  const endsBefore = request.dryRun && (decision.verdict === 'deny' || decision.verdict === 'require_approval')
  return andThen(findCandidates(context, authorized, deps), (route) => (route instanceof Stop && endsBefore ? NO_ROUTE : route))
}

/** All models of the Application, or the requested one. A model of another Application looks like one that does not exist. */
function listModels(providers: readonly Provider[], application: Application, name: string): StageReturn<Route> {
  if (name === '') return { ...NO_ROUTE, models: listAllowedModels(providers, application) }
  const model = findAllowedModel(providers, application, name)
  if (model) return { ...NO_ROUTE, models: [model] }
  return refuse('NOT_FOUND', {
    message: `This ${application.restrictions ? 'API key' : 'Application'} has no model ${JSON.stringify(name)}. GET /v1/models lists the models that it may use.`,
  })
}
