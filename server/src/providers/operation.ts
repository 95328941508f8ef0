import type { EncodedRequest } from '../dialects/upstream-dialect.ts'
import type { Completion } from '../domain/completion.ts'
import type { Embeddings } from '../domain/embedding.ts'
import { dialectOf } from './adapters.ts'
import type { Usage } from './attempt-outcome.ts'
import type { Endpoint } from './connection-pools.ts'
import { type EmbeddingsRequest, encodeEmbeddings, requestEmbeddings } from './embeddings-adapter.ts'
import { DEPLOYMENT_PLACEHOLDER, type ProviderKind, type ProviderModel } from './provider.ts'
import {
  type AdapterDeps,
  type AttemptLimits,
  type ProviderRequest,
  requestCompletion,
  type UpstreamFailure,
} from './request-completion.ts'
import { type StubDeps, stubCompletion } from './stub.ts'
import { stubEmbeddings } from './stub-embeddings.ts'

export type AttemptResult<Answer> = { readonly ok: true; readonly status: number; readonly response: Answer } | UpstreamFailure

interface Attempt {
  readonly body: string
  readonly model: ProviderModel
}

/** A request to providers: attempts, retries and fallbacks are the same for every operation. */
export interface Operation<Answer extends { readonly usage?: Usage }> {
  /** The body for all attempts at one provider, or the field that the provider's API cannot express. */
  encode(kind: Exclude<ProviderKind, 'stub'>, model: ProviderModel): EncodedRequest
  /** Makes one attempt at a provider. */
  attempt(endpoint: Endpoint, attempt: Attempt, limits: AttemptLimits, deps: AdapterDeps): Promise<AttemptResult<Answer>>
  /** The response of the built-in provider. */
  stub(deps: StubDeps): Answer
}

const upstreamNameOf = ({ upstreamName, id }: ProviderModel): string => upstreamName ?? id

/** Azure names the deployment in the path. */
const pathFor = (path: string, model: ProviderModel): string =>
  path.replaceAll(DEPLOYMENT_PLACEHOLDER, () => encodeURIComponent(upstreamNameOf(model)))

/** `addedMessages`: how many messages the gateway has put before those of the client. */
export const chatOperation = (request: ProviderRequest, addedMessages: number): Operation<Completion> => ({
  encode: (kind, model) => dialectOf(kind, model).encode({ ...request, model: upstreamNameOf(model), addedMessages }),
  async attempt(endpoint, { body, model }, limits, deps) {
    const path = model.api === 'responses' ? endpoint.responsesPath : endpoint.chatPath
    const call = { path: pathFor(path, model), body, model: request.model, dialect: endpoint.dialect(model) }
    const result = await requestCompletion(endpoint, call, limits, deps)
    return result.ok ? { ok: true, status: result.status, response: result.completion } : result
  },
  stub: (deps) => stubCompletion(request, deps),
})

export const embeddingsOperation = (request: EmbeddingsRequest): Operation<Embeddings> => ({
  encode: (kind, model) => encodeEmbeddings(kind, request, upstreamNameOf(model)),
  async attempt(endpoint, { body, model }, limits, deps) {
    const call = { path: pathFor(endpoint.embeddingsPath, model), body }
    const result = await requestEmbeddings(endpoint, call, request, limits, deps)
    return result.ok ? { ok: true, status: result.status, response: result.embeddings } : result
  },
  stub: () => stubEmbeddings(request),
})
