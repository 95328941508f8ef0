import { type Embeddings, encodeVector } from '../../shared/embedding.ts'
import { estimateTokens } from '../../shared/tokens.ts'
import { type EmbeddingsRequest, encodingOf } from './embeddings-adapter.ts'

const DIMENSIONS = 256
/** More `dimensions` would only use memory. */
const MAX_DIMENSIONS = 1_024

/**
 * The embeddings of the built-in provider for dry runs, the demo and tests. A vector depends only on its text: each word adds to one
 * dimension, so texts with common words are similar.
 */
export function stubEmbeddings({ model, inputs, parameters }: EmbeddingsRequest): Embeddings {
  const dimensions = Math.min(Number(parameters.dimensions ?? DIMENSIONS), MAX_DIMENSIONS)
  const isBase64 = encodingOf(parameters) === 'base64'
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
