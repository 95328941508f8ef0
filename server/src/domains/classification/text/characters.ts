/** A set of ASCII characters with a fast lookup by UTF-16 unit. */
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

/**
 * Calls `visit` for every maximal run of at least `min` characters of `set`. It reads the end of a possible run first, so that in
 * prose it reads about one of `min` characters. Linear: each character is read at most twice.
 */
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
