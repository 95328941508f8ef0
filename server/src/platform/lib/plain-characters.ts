import { INVISIBLE_RANGES } from './invisible-characters.ts'

/** How a character is changed in the plain text. A code above these is the UTF-16 unit that replaces the character. */
const UNKNOWN = 0
export const KEPT = 1
export const DROPPED = 2
/** A combining mark: joins the letter before it, or is removed. */
export const MARK = 3
/** A vowel or final of Hangul: joins the letter before it, or is kept. */
export const JAMO = 4
/** Replaced by several units, see `expansionOf`. */
export const MANY = 5
/** A high surrogate: the pair has its own code. */
export const PAIR = 6
export const LAST_CODE = 6

type Range = readonly [number, number]

const SPACES: readonly Range[] = [
  [0x000b, 0x000c],
  [0x00a0, 0x00a0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x2800, 0x2800], // Braille without a dot
  [0x3000, 0x3000],
]
const DASHES: readonly Range[] = [
  [0x2010, 0x2015],
  [0x2212, 0x2212],
]
const SINGLE_QUOTES: readonly Range[] = [[0x2018, 0x201b]]
const DOUBLE_QUOTES: readonly Range[] = [[0x201c, 0x201f]]
/** C0 without tab, line feed and carriage return; DEL and C1. */
const CONTROLS: readonly Range[] = [
  [0x0000, 0x0008],
  [0x000e, 0x001f],
  [0x007f, 0x009f],
]
const JAMO_RANGE: Range = [0x1161, 0x11ff]
/** Characters with longer compatibility forms (one ligature has 18 letters) are kept, so that clients cannot make a text much longer. */
const MAX_EXPANSION = 4

const table = new Uint16Array(0x10000)
/** The same for U+10000 to U+1FFFF, by their lower 16 bits. */
const astralTable = new Uint16Array(0x10000)
const expansions = new Map<number, string>()

const fill = (ranges: readonly Range[], value: number): void => {
  for (const [from, to] of ranges) table.fill(value, from, to + 1)
}
table.fill(KEPT, 0, 0x80)
fill(INVISIBLE_RANGES, DROPPED)
fill(CONTROLS, DROPPED)
fill(SPACES, 0x20)
fill(DASHES, 0x2d)
fill(SINGLE_QUOTES, 0x27)
fill(DOUBLE_QUOTES, 0x22)
fill([JAMO_RANGE], JAMO)
// Inside the range are Hangul fillers.
fill([[0x1160, 0x1160]], DROPPED)
fill([[0xd800, 0xdbff]], PAIR)
fill([[0xdc00, 0xdfff]], KEPT)

/** Nine digits from 1 to 9 without a compatibility form start at each of these: circled digits and Suzhou numerals. */
for (const first of [0x24f5, 0x2776, 0x2780, 0x278a, 0x3021]) for (let at = 0; at < 9; at++) table[first + at] = 0x31 + at
fill([[0x24ff, 0x24ff]], 0x30)
fill([[0x3007, 0x3007]], 0x30)

const IS_MARK = /^\p{M}$/u
const IS_DIGIT = /^\p{Nd}$/u
const IS_IGNORABLE = /^\p{DI}$/u

const isDigit = (codePoint: number): boolean => IS_DIGIT.test(String.fromCodePoint(codePoint))

/** The digits of every script are in blocks of ten, from 0 to 9. Some blocks are adjacent. */
function digitValue(codePoint: number): number {
  let before = 0
  while (isDigit(codePoint - before - 1)) before++
  return before % 10
}

function classify(codePoint: number): number {
  const character = String.fromCodePoint(codePoint)
  if (IS_IGNORABLE.test(character)) return DROPPED
  const compatible = character.normalize('NFKC')
  if (IS_MARK.test(character)) return MARK
  if (IS_DIGIT.test(character) && compatible.charCodeAt(0) > 0x39) return 0x30 + digitValue(codePoint)
  // The compatibility form of a spacing accent is a space with a mark. The accent itself is more useful.
  if (compatible === character || compatible.startsWith(' ') || compatible.length > MAX_EXPANSION) return KEPT
  if (compatible.length > 1 || IS_MARK.test(compatible)) {
    expansions.set(codePoint, compatible)
    return MANY
  }
  const unit = compatible.charCodeAt(0)
  const unitCode = codeOf(unit)
  return unitCode > LAST_CODE ? unitCode : unit
}

export function codeOf(unit: number): number {
  const known = table[unit] as number
  if (known !== UNKNOWN) return known
  const code = classify(unit)
  table[unit] = code
  return code
}

const ASTRAL_END = 0x1ffff

/** The code of a character beyond U+FFFF. Ideographs are kept, tags and variation selectors are removed. */
export function astralCodeOf(codePoint: number): number {
  if (codePoint >= 0xe0000 && codePoint <= 0xe0fff) return DROPPED
  if (codePoint > ASTRAL_END) return KEPT
  const index = codePoint & 0xffff
  const known = astralTable[index] as number
  if (known !== UNKNOWN) return known
  const code = classify(codePoint)
  astralTable[index] = code
  return code
}

export const expansionOf = (codePoint: number): string => expansions.get(codePoint) ?? ''

/** A mark over, under or through letters of Latin, Greek and Cyrillic. */
export const isEuropeanMark = (unit: number): boolean =>
  (unit >= 0x300 && unit <= 0x36f) ||
  (unit >= 0x483 && unit <= 0x489) ||
  (unit >= 0x1ab0 && unit <= 0x1aff) ||
  (unit >= 0x1dc0 && unit <= 0x1dff) ||
  (unit >= 0x20d0 && unit <= 0x20ff) ||
  (unit >= 0xfe20 && unit <= 0xfe2f)

/** ASCII or a Latin letter, with or without accents. */
export const isLatin = (unit: number): boolean => unit < 0x250 || (unit >= 0x1e00 && unit <= 0x1eff)

const MAX_COMPOSED = 5_000
const composed = new Map<number, number>()

/** The unit that a letter and a joining unit form together; 0: none. */
export function compose(base: number, joining: number): number {
  const key = base * 0x10000 + joining
  const known = composed.get(key)
  if (known !== undefined) return known
  const text = String.fromCharCode(base, joining).normalize('NFC')
  const unit = text.length === 1 ? text.charCodeAt(0) : 0
  if (composed.size >= MAX_COMPOSED) composed.clear()
  composed.set(key, unit)
  return unit
}
