import type { Finding, FindingType } from '../../../shared/finding.ts'

export class CharacterSet {
  readonly #members = new Uint8Array(128)

  constructor(members: string) {
    for (const member of members) this.#members[member.charCodeAt(0)] = 1
  }

  has(unit: number): boolean {
    return unit < 128 && this.#members[unit] === 1
  }
}

export const LOWER = 'abcdefghijklmnopqrstuvwxyz'
export const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
export const DIGITS = '0123456789'

export const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57

/** Letters of Latin beyond ASCII, Greek and Cyrillic, which occur in names and addresses. */
export const isAlphabeticBeyondAscii = (unit: number): boolean => unit >= 0xc0 && unit <= 0x52f && unit !== 0xd7 && unit !== 0xf7

/** Visits every maximal run of at least `min` characters. Reads the end of a possible run first, so about one of `min` characters of prose. */
export function eachRun(text: string, min: number, set: CharacterSet, visit: (start: number, end: number) => void): void {
  let start = 0
  while (start + min <= text.length) {
    let back = start + min - 1
    while (back >= start && set.has(text.charCodeAt(back))) back--
    if (back >= start) {
      start = back + 1
      continue
    }
    let end = start + min
    while (end < text.length && set.has(text.charCodeAt(end))) end++
    visit(start, end)
    start = end + 1
  }
}

/** `expression` is global and has no empty matches. `matchAll` would copy it for each call, which takes longer than the search of a short text. */
export function eachMatch(text: string, expression: RegExp, visit: (match: RegExpExecArray) => void): void {
  expression.lastIndex = 0
  for (let match = expression.exec(text); match; match = expression.exec(text)) visit(match)
}

export function eachEnd(text: string, expression: RegExp, visit: (end: number) => void): void {
  expression.lastIndex = 0
  while (expression.test(text)) visit(expression.lastIndex)
}

export function addMatches(
  findings: Finding[],
  type: FindingType,
  text: string,
  expression: RegExp,
  accept?: (match: RegExpExecArray) => boolean,
): void {
  eachMatch(text, expression, (match) => {
    if (!accept || accept(match)) findings.push({ type, start: match.index, end: match.index + match[0].length })
  })
}

/** After `limit` checks by a library (microseconds each) the result is true: a false positive does less harm than a leak. */
export function bounded(limit: number): (check: () => boolean) => boolean {
  let remaining = limit
  return (check) => remaining-- <= 0 || check()
}
