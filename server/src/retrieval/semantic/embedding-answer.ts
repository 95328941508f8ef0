/** A text's place in the model's space, of length 1. */
export type Vector = Float32Array

/** What is wrong: no answer at all, vectors of another length than they must have, or one of no direction. */
export type Unusable = 'malformed' | 'dimensions' | 'unusable'

/**
 * The vectors of an answer, in the order of the texts. Refused as a whole when one is missing, has a value that is no
 * finite number, or another length than `dimensions` or, that being undefined, than its neighbours.
 */
export function readEmbeddings(
  body: Buffer,
  count: number,
  dimensions: number | undefined,
): { readonly ok: true; readonly vectors: readonly Vector[] } | { readonly ok: false; readonly failure: Unusable } {
  const data = dataOf(body)
  if (data?.length !== count) return { ok: false, failure: 'malformed' }
  const vectors: Vector[] = []
  let length = dimensions
  for (const [place, item] of data.entries()) {
    const { index = place, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown }
    if (!isPlace(index, count) || vectors[index] || !Array.isArray(embedding)) return { ok: false, failure: 'malformed' }
    length ??= embedding.length
    if (embedding.length !== length || length === 0) return { ok: false, failure: 'dimensions' }
    const vector = toUnit(embedding)
    if (!vector) return { ok: false, failure: 'unusable' }
    vectors[index] = vector
  }
  return { ok: true, vectors }
}

function dataOf(body: Buffer): readonly unknown[] | undefined {
  try {
    const { data } = JSON.parse(body.toString('utf8')) as { data?: unknown }
    return Array.isArray(data) ? data : undefined
  } catch {
    return undefined
  }
}

const isPlace = (index: unknown, count: number): index is number =>
  typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < count

/** Of length 1, so that no value is too large for half precision; undefined for what has no direction, or is no numbers. */
function toUnit(values: readonly unknown[]): Vector | undefined {
  let squares = 0
  for (const value of values) {
    if (typeof value !== 'number') return undefined
    squares += value * value
  }
  const length = Math.sqrt(squares)
  // JSON has no NaN, but 1e999 is read as infinite.
  return Number.isFinite(length) && length > 0 ? Float32Array.from(values as number[], (value) => value / length) : undefined
}
