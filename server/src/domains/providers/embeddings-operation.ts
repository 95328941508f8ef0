import { type Embeddings, type Encoding, encodeVector } from '../../shared/embedding.ts'
import { estimateTokens } from '../../shared/tokens.ts'
import type { Operation } from './operation.ts'
import { requestedTier } from './price-tier.ts'
import { upstreamNameOf } from './provider.ts'
import { readEmbeddings } from './read-embeddings.ts'
import { sendAttempt } from './send-to-provider.ts'

/** An embeddings request after the transforms of policies. */
interface EmbeddingsRequest {
  /** The name that the client used. The response has the same name. */
  readonly model: string
  readonly inputs: readonly string[]
  /** Further fields of the OpenAI API: `dimensions`, `encoding_format` … */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Limits of a response, in bytes: about 5,000 numbers as text for each input, and 2,048 vectors of 3,072 numbers in base64. */
const BYTES_PER_INPUT = 131_072
const BASE_BYTES = 1_048_576
const MAX_BYTES = 40 * 1_048_576

/** Requests embeddings with the API of OpenAI. A single text is sent as a text, because servers exist that take no list. */
export const embeddingsOperation = (request: EmbeddingsRequest): Operation<Embeddings> => ({
  name: 'embeddings',
  tier: requestedTier(request.parameters),
  prepare({ adapter, embeddingsPath }, declared) {
    if (!adapter.hasEmbeddings) return { ok: false, unsupported: { code: 'unsupported_parameter', param: 'model' } }
    const { model, inputs, parameters } = request
    const name = upstreamNameOf(declared)
    const body = JSON.stringify({ ...parameters, model: name, input: inputs.length === 1 ? inputs[0] : inputs })
    const maxBytes = Math.min(BASE_BYTES + inputs.length * BYTES_PER_INPUT, MAX_BYTES)
    const sent = { path: embeddingsPath(name), body, maxBytes }
    const expected = { model, count: inputs.length, encoding: encodingOf(request) }
    return {
      ok: true,
      async attempt(endpoint, limits, deps) {
        const response = await sendAttempt(endpoint, sent, limits, deps)
        if (!response.ok) return response
        const { status } = response
        const embeddings = readEmbeddings(response.body, expected)
        return embeddings ? { ok: true, status, response: embeddings } : { ok: false, failure: 'malformed', status }
      },
    }
  },
  stub: () => stubEmbeddings(request),
})

const encodingOf = ({ parameters }: EmbeddingsRequest): Encoding => (parameters.encoding_format === 'base64' ? 'base64' : 'float')

const DIMENSIONS = 256
/** More `dimensions` would only use memory. */
const MAX_DIMENSIONS = 1_024

/**
 * The embeddings of the built-in provider for dry runs, the demo and tests. A vector depends only on its text: each word adds to one
 * dimension, so texts with common words are similar.
 */
function stubEmbeddings(request: EmbeddingsRequest): Embeddings {
  const { model, inputs, parameters } = request
  const dimensions = Math.min(Number(parameters.dimensions ?? DIMENSIONS), MAX_DIMENSIONS)
  const isBase64 = encodingOf(request) === 'base64'
  const data = inputs.map((text, index) => {
    const vector = vectorOf(text, dimensions)
    return { object: 'embedding' as const, index, embedding: isBase64 ? encodeVector(vector) : vector }
  })
  const tokens = estimateTokens(inputs)
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } }
}

/** Has length 1, in numbers that base64 represents exactly. */
function vectorOf(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0)
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]
  for (const word of words) {
    const index = hashOf(word) % dimensions
    vector[index] = (vector[index] ?? 0) + 1
  }
  const length = Math.hypot(...vector)
  return vector.map((value) => Math.fround(value / length))
}

/** FNV-1a, 32 bits. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
