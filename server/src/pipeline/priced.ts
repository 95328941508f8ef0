import { requestedTier } from '../domains/providers/price-tier.ts'
import { areOffersPriced } from '../domains/providers/route.ts'
import { ENDPOINT_PLANS } from './endpoints.ts'
import type { RouteDeps } from './find-candidates.ts'
import type { IncomingRequest } from './request.ts'
import type { Admitted, Caller } from './stage-results.ts'

/** The request with the value of `request.priced`, which policies read before stage 8 selects the candidates. */
export async function withPriced(
  { endpoint }: Pick<IncomingRequest, 'endpoint'>,
  { application }: Caller,
  admitted: Admitted,
  { providers, clock }: Pick<RouteDeps, 'providers' | 'clock'>,
): Promise<Admitted> {
  if (!ENDPOINT_PLANS[endpoint].stages.has('invoke')) return admitted
  const model = admitted.request.model || (application.defaultModel ?? '')
  const declared = await providers.get(application.workspaceId)
  const at = clock.now()
  const arePriced = areOffersPriced(declared, { model, application }, { at, hasOutput: endpoint !== 'embeddings' })
  return { ...admitted, priced: arePriced && requestedTier(admitted.request.parameters) === 'standard' }
}
