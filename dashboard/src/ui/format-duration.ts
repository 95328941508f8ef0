const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** Formats a duration in its two largest units: `3 h 12 min`. */
export function formatDuration(ms: number): string {
  let seconds = Math.max(Math.floor(ms / 1_000), 0)
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(seconds / size)
    seconds -= count * size
    if (count > 0 || (unit === 's' && parts.length === 0)) parts.push(`${count} ${unit}`)
    if (parts.length === 2 || (parts.length === 1 && count === 0)) break
  }
  return parts.join(' ')
}
