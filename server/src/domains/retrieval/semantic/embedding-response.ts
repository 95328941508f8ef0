/** The embedding of a text: a unit vector. */
export type Vector = Float32Array

/** malformed: invalid response. dimensions: wrong vector length. unusable: a zero or infinite vector. */
export type InvalidEmbeddings = 'malformed' | 'dimensions' | 'unusable'

/**
 * Parses the vectors of a response, in the order of the texts. Fails if a vector is missing, contains a value that is not a finite
 * number, or does not have `dimensions` values. If `dimensions` is undefined, all vectors must have the same length.
 */
export function parseEmbeddings(
  body: Buffer,
  count: number,
  dimensions: number | undefined,
): { readonly ok: true; readonly vectors: readonly Vector[] } | { readonly ok: false; readonly failure: InvalidEmbeddings } {
  const data = parseData(body)
  if (data?.length !== count) return { ok: false, failure: 'malformed' }
  const vectors: Vector[] = []
  let length = dimensions
  for (const [place, item] of data.entries()) {
    const { index = place, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown }
    if (!isValidIndex(index, count) || vectors[index] || !Array.isArray(embedding)) return { ok: false, failure: 'malformed' }
    length ??= embedding.length
    if (embedding.length !== length || length === 0) return { ok: false, failure: 'dimensions' }
    const vector = toUnit(embedding)
    if (!vector) return { ok: false, failure: 'unusable' }
    vectors[index] = vector
  }
  return { ok: true, vectors }
}

function parseData(body: Buffer): readonly unknown[] | undefined {
  try {
    const { data } = JSON.parse(body.toString('utf8')) as { data?: unknown }
    return Array.isArray(data) ? data : undefined
  } catch {
    return undefined
  }
}

const isValidIndex = (index: unknown, count: number): index is number =>
  typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < count

/** Scales to length 1, so that no value is too large for half precision. Returns undefined for zero, infinite or non-numeric vectors. */
function toUnit(values: readonly unknown[]): Vector | undefined {
  let squares = 0
  for (const value of values) {
    if (typeof value !== 'number') return undefined
    squares += value * value
  }
  const length = Math.sqrt(squares)
  // JSON has no NaN, but 1e999 parses as infinite.
  return Number.isFinite(length) && length > 0 ? Float32Array.from(values as number[], (value) => value / length) : undefined
}
