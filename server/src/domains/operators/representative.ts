/** Operator who is away → delegate. */
export type Delegates = ReadonlyMap<string, string>

/** The operator who works for `operatorId`: delegates of delegates count. Operators who represent each other keep their own work. */
export function representativeOf(operatorId: string, delegates: Delegates): string {
  const visited = new Set([operatorId])
  let current = operatorId
  for (let next = delegates.get(current); next !== undefined; next = delegates.get(current)) {
    if (visited.has(next)) return operatorId
    visited.add(next)
    current = next
  }
  return current
}

/** The operators whose representative `operatorId` is. */
export const representedBy = (operatorId: string, delegates: Delegates): readonly string[] =>
  [...delegates.keys()].filter((id) => id !== operatorId && representativeOf(id, delegates) === operatorId)
