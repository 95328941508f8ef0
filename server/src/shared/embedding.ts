/** A complete, validated response of a provider to an embeddings request (GW-EMB-9, without `governance`). */
export interface Embeddings {
  readonly object: 'list'
  /** One for each input, in the order of the inputs. */
  readonly data: readonly Embedding[]
  readonly model: string
  readonly usage?: { readonly prompt_tokens: number; readonly total_tokens: number }
}

export interface Embedding {
  readonly object: 'embedding'
  readonly index: number
  readonly embedding: Vector
}

/** Numbers, or the base64 of little-endian 32-bit floats. */
export type Vector = readonly number[] | string

export const ENCODINGS = ['float', 'base64'] as const
export type Encoding = (typeof ENCODINGS)[number]

const BYTES_PER_FLOAT = 4

export function encodeVector(numbers: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(numbers.length * BYTES_PER_FLOAT)
  for (const [index, number] of numbers.entries()) bytes.writeFloatLE(number, index * BYTES_PER_FLOAT)
  return bytes.toString('base64')
}

/** The number of floats in the base64 text; undefined if the text is not base64 of one or more finite floats. */
export function countEncodedFloats(text: string): number | undefined {
  const bytes = Buffer.from(text, 'base64')
  // The decoder skips characters that are not base64, so the text is compared with its canonical form.
  if (bytes.length === 0 || bytes.length % BYTES_PER_FLOAT !== 0 || bytes.toString('base64') !== text) return undefined
  for (let at = 0; at < bytes.length; at += BYTES_PER_FLOAT) if (!Number.isFinite(bytes.readFloatLE(at))) return undefined
  return bytes.length / BYTES_PER_FLOAT
}
