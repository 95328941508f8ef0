/** a, b, c, d, e, f of a PDF transformation. */
export type Matrix = readonly [number, number, number, number, number, number]

/** Left, bottom, right, top, in points of the page. */
export type Box = readonly [number, number, number, number]

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0]

/** The transformation that applies `inner` first. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer
  const [g, h, i, j, k, l] = inner
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}

export const apply = ([a, b, c, d, e, f]: Matrix, x: number, y: number): readonly [number, number] => [
  a * x + c * y + e,
  b * x + d * y + f,
]

/** The smallest box around the transformed one. */
export function transformBox(matrix: Matrix, [left, bottom, right, top]: Box): Box {
  const corners = [apply(matrix, left, bottom), apply(matrix, right, bottom), apply(matrix, left, top), apply(matrix, right, top)]
  const x = corners.map((corner) => corner[0])
  const y = corners.map((corner) => corner[1])
  return [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)]
}

export const intersect = (one: Box, other: Box): Box => [
  Math.max(one[0], other[0]),
  Math.max(one[1], other[1]),
  Math.min(one[2], other[2]),
  Math.min(one[3], other[3]),
]

export const contains = ([left, bottom, right, top]: Box, x: number, y: number): boolean =>
  x >= left && x <= right && y >= bottom && y <= top

export function isMatrix(value: unknown): value is Matrix {
  return (Array.isArray(value) || value instanceof Float32Array) && value.length === 6
}
