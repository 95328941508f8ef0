import type { Clock } from '../../platform/lib/clock.ts'
import type { HttpFailure } from '../../platform/lib/http-request.ts'
import type { ConnectionPools } from './connection-pools.ts'
import { type Discovery, discoverModels, discoveryTimeoutMs } from './discover-models.ts'
import type { Provider } from './provider.ts'
import { readRejection } from './rejection.ts'
import { sendToProvider } from './send-to-provider.ts'

const MAX_BYTES = 1_048_576

/**
 * Tests address, path and key of a provider. A provider with a list of models is asked for the list. Any other gets a chat request without
 * messages for its first model: it costs nothing, and only a provider that accepts the key refuses the request as invalid. Such a
 * provider needs a model. A failure is a value.
 */
export async function testConnection(
  provider: Provider,
  pools: ConnectionPools,
  { clock }: { readonly clock: Clock },
): Promise<Discovery> {
  const discovery = await discoverModels(provider, pools, { clock })
  const model = provider.models[0]
  if (!discovery.ok || discovery.models || !model) return discovery
  const endpoint = pools.endpoint(provider)
  const name = model.upstreamName ?? model.id
  const body = JSON.stringify({ model: name, messages: [] })
  const limits = { timeoutMs: discoveryTimeoutMs(provider), maxBytes: MAX_BYTES, keepsErrorBody: true }
  const request = {
    method: 'POST',
    path: endpoint.chat({ name, api: 'chat' }).path,
    body,
    now: () => clock.now().getTime(),
  } as const
  const response = await sendToProvider(endpoint, { ...request, ...limits })
  return response.ok || refusesOnlyMessages(response) ? discovery : response
}

/** Whether the provider has read the request and found no fault but that it has no messages. */
function refusesOnlyMessages(failure: HttpFailure): boolean {
  if (failure.status !== 400 && failure.status !== 422) return false
  const rejection = readRejection(failure)
  return rejection?.kind === 'refused' && rejection.code !== 'model_not_found'
}
