import { isCount, isObject, isSet, parseJsonObject } from '../../platform/lib/untrusted-json.ts'
import {
  countEncodedFloats,
  type Embedding,
  type Embeddings,
  type Encoding,
  encodeVector,
  type Vector,
} from '../../shared/embedding.ts'
import { estimateTokens } from '../../shared/tokens.ts'
import { MAX_TOKENS } from '../../shared/usage.ts'
import type { Operation } from './operation.ts'
import { requestedTier } from './price-tier.ts'
import { upstreamNameOf } from './provider.ts'
import { sendAttempt } from './send-to-provider.ts'

interface EmbeddingsRequest {
  readonly model: string
  readonly inputs: readonly string[]
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

/** A response within the size limit has no more values, unless its numbers are short. */
const MAX_VALUES = 2_097_152

/** undefined: malformed. Other fields of the provider are left out, because no stage inspects this response. */
export function readEmbeddings(
  body: Buffer,
  { model, count, encoding }: { model: string; count: number; encoding: Encoding },
): Embeddings | undefined {
  const response = parseJsonObject(body, JSON.parse, MAX_VALUES)
  if (!response || isSet(response.error) || !Array.isArray(response.data) || response.data.length !== count) return undefined
  const data = new Array<Embedding | undefined>(count).fill(undefined)
  const lengths = new Set<number>()
  for (const [position, item] of (response.data as unknown[]).entries()) {
    if (!isObject(item)) return undefined
    const index = item.index ?? position
    const vector = readVector(item.embedding, encoding)
    if (!vector || !isCount(index, count - 1) || data[index] || lengths.add(vector.length).size > 1) return undefined
    data[index] = { object: 'embedding', index, embedding: vector.embedding }
  }
  const usage = isSet(response.usage) ? readUsage(response.usage) : null
  if (usage === undefined) return undefined
  return { object: 'list', data: data.filter((embedding) => embedding !== undefined), model, ...(usage && { usage }) }
}

/** A server that knows no base64 sends numbers, which are encoded here. */
function readVector(value: unknown, encoding: Encoding): { readonly embedding: Vector; readonly length: number } | undefined {
  if (encoding === 'base64' && typeof value === 'string') {
    const length = countEncodedFloats(value)
    return length === undefined ? undefined : { embedding: value, length }
  }
  if (!Array.isArray(value) || value.length === 0) return undefined
  const limit = encoding === 'base64' ? MAX_FLOAT32 : Number.MAX_VALUE
  if (!value.every((number) => typeof number === 'number' && Math.abs(number) <= limit)) return undefined
  return { embedding: encoding === 'base64' ? encodeVector(value) : (value as number[]), length: value.length }
}

const MAX_FLOAT32 = 3.4028234663852886e38

/** A missing count is the other one, or 0. Returns undefined if a count is not a whole number from 0 to MAX_TOKENS. */
function readUsage(value: unknown): Embeddings['usage'] {
  if (!isObject(value)) return undefined
  const prompt_tokens = value.prompt_tokens ?? value.total_tokens ?? 0
  const total_tokens = value.total_tokens ?? prompt_tokens
  return isCount(prompt_tokens, MAX_TOKENS) && isCount(total_tokens, MAX_TOKENS) ? { prompt_tokens, total_tokens } : undefined
}

const encodingOf = ({ parameters }: EmbeddingsRequest): Encoding => (parameters.encoding_format === 'base64' ? 'base64' : 'float')

const DIMENSIONS = 256
/** More `dimensions` would only use memory. */
const MAX_DIMENSIONS = 1_024

/** Of the built-in provider. Each word adds to one dimension, so texts with common words are similar. */
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

function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
