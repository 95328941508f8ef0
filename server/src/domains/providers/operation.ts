import type { EncodedBody, EncodedRequest } from '../../dialects/upstream-dialect.ts'
import type { Completion } from '../../shared/completion.ts'
import type { Embeddings } from '../../shared/embedding.ts'
import type { ReportedUsage } from '../../shared/usage.ts'
import type { UpstreamModel } from './adapter.ts'
import type { Endpoint } from './connection-pools.ts'
import { type EmbeddingsRequest, encodeEmbeddings, requestEmbeddings } from './embeddings-adapter.ts'
import { requestedTier, type Tier } from './price-tier.ts'
import { type ProviderModel, upstreamNameOf } from './provider.ts'
import {
  type AdapterDeps,
  type AttemptLimits,
  type ProviderRequest,
  requestCompletion,
  type TextWatch,
  type UpstreamFailure,
} from './request-completion.ts'
import { type StubDeps, stubCompletion } from './stub.ts'
import { stubEmbeddings } from './stub-embeddings.ts'

export type AttemptResult<Answer> = { readonly ok: true; readonly status: number; readonly response: Answer } | UpstreamFailure

interface Attempt extends EncodedBody {
  readonly model: ProviderModel
}

/** A request to providers: attempts, retries and fallbacks are the same for every operation. */
export interface Operation<Answer extends { readonly usage?: ReportedUsage }> {
  readonly name: 'chat' | 'embeddings'
  /** The tier that the request asks for. */
  readonly tier: Tier
  /** The body for all attempts at one provider, or the field that the provider's API cannot express. */
  encode(endpoint: Endpoint, model: ProviderModel): EncodedRequest
  /** Makes one attempt at a provider. */
  attempt(endpoint: Endpoint, attempt: Attempt, limits: AttemptLimits, deps: AdapterDeps): Promise<AttemptResult<Answer>>
  /** The response of the built-in provider. */
  stub(deps: StubDeps): Answer
}

/** Absent `api`: chat. */
const upstreamModelOf = (model: ProviderModel): UpstreamModel => ({ name: upstreamNameOf(model), api: model.api ?? 'chat' })

export const chatOperation = (request: ProviderRequest, watch?: TextWatch): Operation<Completion> => ({
  name: 'chat',
  tier: requestedTier(request.parameters),
  encode(endpoint, declared) {
    const model = upstreamModelOf(declared)
    return endpoint.chat(model).dialect.encode({ ...request, model: model.name, stream: endpoint.stream })
  },
  async attempt(endpoint, { model, ...encoded }, limits, deps) {
    const call = { chat: endpoint.chat(upstreamModelOf(model)), ...encoded, model: request.model, watch }
    const result = await requestCompletion(endpoint, call, limits, deps)
    return result.ok ? { ok: true, status: result.status, response: result.completion } : result
  },
  stub: (deps) => stubCompletion(request, deps),
})

export const embeddingsOperation = (request: EmbeddingsRequest): Operation<Embeddings> => ({
  name: 'embeddings',
  tier: requestedTier(request.parameters),
  encode: ({ adapter }, model) => encodeEmbeddings(adapter, request, upstreamNameOf(model)),
  async attempt(endpoint, { body, model }, limits, deps) {
    const call = { path: endpoint.embeddingsPath(upstreamNameOf(model)), body }
    const result = await requestEmbeddings(endpoint, call, request, limits, deps)
    return result.ok ? { ok: true, status: result.status, response: result.embeddings } : result
  },
  stub: () => stubEmbeddings(request),
})
