/**
 * Calls `visit` for each match. `expression` is global and has no empty matches. `matchAll` would copy the expression for each call,
 * which takes longer than the search of a short text.
 */
export function eachMatch(text: string, expression: RegExp, visit: (match: RegExpExecArray) => void): void {
  expression.lastIndex = 0
  for (let match = expression.exec(text); match; match = expression.exec(text)) visit(match)
}

/** Calls `visit` with the end of each match. Faster than eachMatch for many short matches. */
export function eachEnd(text: string, expression: RegExp, visit: (end: number) => void): void {
  expression.lastIndex = 0
  while (expression.test(text)) visit(expression.lastIndex)
}

/**
 * Limits the number of checks by a library, which take microseconds each: a hostile megabyte has 80,000 candidates. After `limit` checks
 * the result is true, because the candidate has the right shape and a false positive does less harm than a leak.
 */
export function bounded(limit: number): (check: () => boolean) => boolean {
  let remaining = limit
  return (check) => remaining-- <= 0 || check()
}
