/** Median, minimum and maximum of several rounds. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** @throws if there is no value. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: quantile(sorted, 0.5), min: quantile(sorted, 0), max: quantile(sorted, 1) }
}

/** The value below which `share` (0 to 1) of the ascending `sorted` lies, interpolated. @throws when there is no value. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)]
  const above = sorted[Math.ceil(at)]
  if (below === undefined || above === undefined) throw new Error('no values to take a quantile of')
  return below + (above - below) * (at - Math.floor(at))
}

/** Slope of the line of least squares through `points`, in y per x; 0 for fewer than two. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length
  const [meanX, meanY] = [mean(0), mean(1)]
  const spreadX = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  return spreadX === 0 || points.length < 2 ? 0 : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spreadX
}
