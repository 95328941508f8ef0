import type { EncodedRequest } from '../../dialects/upstream-dialect.ts'
import type { Embeddings, Encoding } from '../../shared/embedding.ts'
import type { ProviderAdapter } from './adapter.ts'
import type { Endpoint } from './connection-pools.ts'
import { readEmbeddings } from './read-embeddings.ts'
import { type AdapterDeps, type AttemptLimits, sendUpstream, type UpstreamFailure } from './request-completion.ts'

/** An embeddings request after the transforms of policies. */
export interface EmbeddingsRequest {
  /** The name that the client used. The response has the same name. */
  readonly model: string
  readonly inputs: readonly string[]
  /** Further fields of the OpenAI API: `dimensions`, `encoding_format` … */
  readonly parameters: Readonly<Record<string, unknown>>
}

export const encodingOf = ({ encoding_format }: EmbeddingsRequest['parameters']): Encoding =>
  encoding_format === 'base64' ? 'base64' : 'float'

/** A single text is sent as a text, because servers exist that take no list. */
export const encodeEmbeddings = (
  { hasEmbeddings }: ProviderAdapter,
  { inputs, parameters }: EmbeddingsRequest,
  model: string,
): EncodedRequest =>
  hasEmbeddings
    ? { ok: true, body: JSON.stringify({ ...parameters, model, input: inputs.length === 1 ? inputs[0] : inputs }) }
    : { ok: false, unsupported: { code: 'unsupported_parameter', param: 'model' } }

/** Limits of a response, in bytes: about 5,000 numbers as text for each input, and 2,048 vectors of 3,072 numbers in base64. */
const BYTES_PER_INPUT = 131_072
const BASE_BYTES = 1_048_576
const MAX_BYTES = 40 * 1_048_576

/** Makes one attempt at an OpenAI-compatible provider. A failure is a value, without any text of the provider. */
export async function requestEmbeddings(
  endpoint: Endpoint,
  call: { readonly path: string; readonly body: string },
  { model, inputs, parameters }: EmbeddingsRequest,
  limits: AttemptLimits,
  deps: AdapterDeps,
): Promise<{ readonly ok: true; readonly status: number; readonly embeddings: Embeddings } | UpstreamFailure> {
  const maxBytes = Math.min(BASE_BYTES + inputs.length * BYTES_PER_INPUT, MAX_BYTES)
  const response = await sendUpstream(endpoint, { ...call, maxBytes }, limits, deps)
  if (!response.ok) return response
  const { status } = response
  const embeddings = readEmbeddings(response.body, { model, count: inputs.length, encoding: encodingOf(parameters) })
  return embeddings ? { ok: true, status, embeddings } : { ok: false, failure: 'malformed', status }
}
