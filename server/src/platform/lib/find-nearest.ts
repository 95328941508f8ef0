/** The known name that a misspelt one is closest to. Undefined if none is within the edit distance. */
export function findNearest(name: string, names: readonly string[], maxDistance: number): string | undefined {
  const ranked = names.map((known) => ({ known, distance: editDistance(name, known) }))
  const [first] = ranked.toSorted((a, b) => a.distance - b.distance)
  return first && first.distance <= maxDistance ? first.known : undefined
}

/** Levenshtein distance. At most 100 letters of `a` are compared, because its length is not limited. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [index, letter] of [...a.slice(0, 100)].entries()) {
    const next = [index + 1]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
