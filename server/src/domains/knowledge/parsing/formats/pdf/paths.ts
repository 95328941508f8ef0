import type { Box } from './geometry.ts'

interface Shape {
  readonly box: Box
  readonly isRectangle: boolean
}

/** Points that follow each of pdf.js' drawing operators: moveTo, lineTo, curveTo, quadraticCurveTo, closePath. */
const COORDINATES = [2, 2, 6, 4, 0]
/** A path of more operands is a drawing. */
const MAX_PATH = 4_000

/** The parts of a path. Its operands are in pdf.js' form: an operator, then its coordinates. */
export function subpathBoxes(path: Float32Array, whole: Box): readonly Shape[] {
  if (path.length > MAX_PATH) return [{ box: whole, isRectangle: false }]
  const shapes: Shape[] = []
  let points: number[] = []
  let straight = true
  for (let at = 0; at < path.length; ) {
    const operator = path[at] ?? 0
    const count = COORDINATES[operator] ?? 0
    if (operator === 0 && points.length > 0) {
      shapes.push(shapeOf(points, straight))
      points = []
      straight = true
    }
    straight &&= count <= 2
    points.push(...path.subarray(at + 1, at + 1 + count))
    at += 1 + count
  }
  if (points.length > 0) shapes.push(shapeOf(points, straight))
  return shapes
}

function shapeOf(points: readonly number[], straight: boolean): Shape {
  const x = points.filter((_, index) => index % 2 === 0)
  const y = points.filter((_, index) => index % 2 === 1)
  const box: Box = [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)]
  const isCorner = (_: number, at: number) => (x[at] === box[0] || x[at] === box[2]) && (y[at] === box[1] || y[at] === box[3])
  const turns = x.every((_, at) => at === 0 || (x[at] === x[at - 1]) !== (y[at] === y[at - 1]) || at === 4)
  return { box, isRectangle: straight && (x.length === 4 || x.length === 5) && x.every(isCorner) && turns }
}
