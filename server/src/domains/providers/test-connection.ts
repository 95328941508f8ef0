import { elapsed } from '../../platform/lib/clock.ts'
import type { HttpFailure } from '../../platform/lib/http-request.ts'
import { chatOperation } from './chat-operation.ts'
import { causeOf, type DiscoveryCause } from './connection-causes.ts'
import type { ConnectionPools, Endpoint } from './connection-pools.ts'
import { discoverModels, isEmbeddingModel, isListedModel, type ModelList } from './discover-models.ts'
import { embeddingsOperation } from './embeddings-operation.ts'
import type { OperationDeps, PreparedRequest } from './operation.ts'
import { NO_PRICES } from './prices.ts'
import { type Provider, type ProviderModel, upstreamNameOf } from './provider.ts'
import type { UpstreamFailure } from './send-to-provider.ts'

/**
 * The request to a model. `refused`: the provider has read it and accepted the key, but the model takes no request of one token, or none of
 * this API.
 */
export interface TestCall {
  readonly model: string
  readonly outcome: 'answered' | 'refused'
  readonly ms: number
}

export type ConnectionTest =
  /** `list`: undefined if the provider has no list of models. `call`: undefined if there is no model to ask. */
  | { readonly ok: true; readonly list: ModelList | undefined; readonly call: TestCall | undefined }
  | { readonly ok: false; readonly cause: DiscoveryCause; readonly failure: HttpFailure | UpstreamFailure }

/** A local server may have to load the model first. */
const CALL_MS = 30_000
/** A completion of one token costs a part of a cent. Every server knows this name; newer models of OpenAI refuse it, which costs nothing. */
const ONE_TOKEN = { max_tokens: 1 }
const TEXT = 'Hi'

/** Reads the list of models and requests one token: a list alone proves no key, because some servers send it to everyone. `name`: the model to ask. */
export async function testConnection(
  provider: Provider,
  pools: ConnectionPools,
  deps: OperationDeps,
  name?: string,
): Promise<ConnectionTest> {
  const discovery = await discoverModels(provider, pools, deps)
  if (!discovery.ok) return { ok: false, cause: causeOf(discovery), failure: discovery }
  const { list } = discovery
  const model = name === undefined ? modelToAsk(provider, list) : namedModel(provider, name)
  if (!model) return { ok: true, list, call: undefined }
  const call = await askModel(provider, model, pools, deps)
  // The operator has not chosen this model, and the list has shown that the path is right.
  const isGuess = name === undefined && !provider.models.includes(model)
  if (!call.ok && !(isGuess && call.cause === 'model_not_found')) return call
  const outcome = call.ok ? call.outcome : 'refused'
  return { ok: true, list, call: { model: upstreamNameOf(model), outcome, ms: call.ms } }
}

/** The first chat model that an operator has added to the provider; without any, the first in the provider's list. */
function modelToAsk({ models }: Provider, list: ModelList | undefined): ProviderModel | undefined {
  const own = models.find((model) => isListedModel(upstreamNameOf(model))) ?? models[0]
  const [listed] = list?.models ?? []
  return own ?? (listed === undefined ? undefined : newModel(listed))
}

const namedModel = ({ models }: Provider, name: string): ProviderModel =>
  models.find(({ id }) => id === name) ?? models.find((model) => upstreamNameOf(model) === name) ?? newModel(name)

const newModel = (id: string): ProviderModel => ({ id, upstreamName: null, ...NO_PRICES, createdAt: new Date(0) })

type Asked = { readonly ms: number } & (
  | { readonly ok: true; readonly outcome: TestCall['outcome'] }
  | Extract<ConnectionTest, { ok: false }>
)

/** Sends the same request as the pipeline: stream, validation and time without a byte are those of other requests. */
async function askModel(provider: Provider, model: ProviderModel, pools: ConnectionPools, deps: OperationDeps): Promise<Asked> {
  const endpoint = pools.endpoint(provider)
  const request = prepare(endpoint, model)
  if (!request.ok) throw new TypeError('A request of one word can be expressed in every API.')
  let answered: HttpFailure | undefined
  const startedAt = elapsed()
  const limits = { timeoutMs: Math.min(CALL_MS, provider.timeoutMs), onFailure: (failure: HttpFailure) => (answered = failure) }
  const result = await request.attempt(endpoint, limits, deps)
  const ms = Math.round(elapsed() - startedAt)
  if (result.ok) return { ok: true, outcome: 'answered', ms }
  const cause = causeOf(answered ?? result)
  const isRefused = result.rejection?.kind === 'refused' && cause !== 'model_not_found' && cause !== 'not_found'
  return isRefused ? { ok: true, outcome: 'refused', ms } : { ok: false, cause, failure: result, ms }
}

function prepare(endpoint: Endpoint, model: ProviderModel): PreparedRequest<object> | { readonly ok: false } {
  const { id } = model
  if (endpoint.adapter.hasEmbeddings && isEmbeddingModel(upstreamNameOf(model)))
    return embeddingsOperation({ model: id, inputs: [TEXT], parameters: {} }).prepare(endpoint, model)
  const messages = [{ role: 'user' as const, content: TEXT }]
  return chatOperation({ model: id, messages, parameters: ONE_TOKEN }).prepare(endpoint, model)
}
