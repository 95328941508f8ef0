import { isCount, isObject, isSet, parseJsonObject } from '../../platform/lib/untrusted-json.ts'
import {
  countEncodedFloats,
  type Embedding,
  type Embeddings,
  type Encoding,
  encodeVector,
  type Vector,
} from '../../shared/embedding.ts'
import { MAX_TOKENS } from '../../shared/usage.ts'

interface Expected {
  /** The model name of the request, which replaces that of the provider. */
  readonly model: string
  /** Number of inputs. */
  readonly count: number
  readonly encoding: Encoding
}

/** A response within the size limit (embeddings-operation.ts) has no more values, unless its numbers are short. */
const MAX_VALUES = 2_097_152

/**
 * Reads a provider's response to an embeddings request. Returns undefined if it is malformed: it must have one vector for each input, all of
 * the same length and of finite numbers. No other field of the provider is kept, because no stage inspects this response.
 */
export function readEmbeddings(body: Buffer, { model, count, encoding }: Expected): Embeddings | undefined {
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
