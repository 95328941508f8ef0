import type { UpstreamDialect } from '../../dialects/upstream-dialect.ts'
import type { Authorize, AuthorizeDeps } from './access-tokens.ts'
import type { ModelApi, ProviderSettings } from './provider.ts'
import type { StreamFormat } from './response-reader.ts'

/** The API in which a provider gets the chats with a model. */
export interface ChatApi {
  readonly dialect: UpstreamDialect
  /** Below the base URL, with the placeholders of kinds.ts. */
  readonly path: string
  readonly streamFormat: StreamFormat
}

/** A model as its provider knows it. */
export interface UpstreamModel {
  readonly name: string
  readonly api: ModelApi
}

/** One page of a provider's list of models. */
export interface ModelsPage {
  /** Objects with an `id`. */
  readonly entries: readonly unknown[]
  /** The query of the next page; absent: this is the last. */
  readonly next?: string | undefined
}

/** All that differs between the APIs of providers. */
export interface ProviderAdapter {
  chatApi(provider: ProviderSettings, model: UpstreamModel): ChatApi
  /** Whether the provider has the embeddings API of OpenAI. */
  readonly hasEmbeddings: boolean
  /** Headers of every request, besides those of the declaration: name, value, name, value … */
  readonly headers: readonly string[]
  keyHeaders(apiKey: string): readonly string[]
  /** For a key that is never sent itself: signs each request, or exchanges the key for a token. undefined: `keyHeaders` are enough. */
  authorizer?(provider: ProviderSettings, apiKey: string, deps: AuthorizeDeps): Authorize | undefined
  /** Path of the first page of models; undefined: the provider has no list. `base`: path of the base URL. */
  modelsPath(base: string, provider: ProviderSettings): string | undefined
  /** Origin of the list of models, if it is not that of the base URL. */
  modelsOrigin?(baseUrl: URL): string
  /** `page`: the response as JSON. undefined: it is no list. */
  readModels(page: unknown): ModelsPage | undefined
}
