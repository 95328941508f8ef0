/**
 * Calls `visit` for each match. `expression` is global and never matches nothing. (`matchAll` says the same, and copies the expression
 * each time: on a short text that copy costs more than the search.)
 */
export function eachMatch(text: string, expression: RegExp, visit: (match: RegExpExecArray) => void): void {
  expression.lastIndex = 0
  for (let match = expression.exec(text); match; match = expression.exec(text)) visit(match)
}

/** Calls `visit` with the end of each match: for short matches in great numbers, of which nothing else is asked. */
export function eachEnd(text: string, expression: RegExp, visit: (end: number) => void): void {
  expression.lastIndex = 0
  while (expression.test(text)) visit(expression.lastIndex)
}
