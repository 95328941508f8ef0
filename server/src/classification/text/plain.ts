import { classOf, INVISIBLE_HIGH, INVISIBLE_RANGES, isInvisiblePair } from './invisible.ts'

/**
 * A text as its reader sees it: invisible characters removed, typographic spaces, dashes and quotes, full-width and mathematical
 * letters as their ASCII forms. Otherwise a zero-width space inside a key, or a card number in full-width digits, would hide it
 * from every detector.
 */
export interface PlainText {
  readonly text: string
  /** Maps a span of the plain text to the span of the original that it stands for. */
  original(start: number, end: number): { start: number; end: number }
}

type Range = readonly [number, number]

const SPACES: readonly Range[] = [
  [0x00a0, 0x00a0],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
]
const DASHES: readonly Range[] = [
  [0x2010, 0x2015],
  [0x2212, 0x2212],
]
const SINGLE_QUOTES: readonly Range[] = [[0x2018, 0x201b]]
const DOUBLE_QUOTES: readonly Range[] = [[0x201c, 0x201f]]
const FULL_WIDTH: readonly Range[] = [[0xff01, 0xff5e]]
const FULL_WIDTH_OFFSET = 0xfee0
/** U+1D400 to U+1D7FF: letters and digits in mathematical fonts, pairs that begin with this. */
const MATHEMATICAL_HIGH = 0xd835

const NOT_PLAIN = new RegExp(
  `[${classOf([...INVISIBLE_RANGES, ...SPACES, ...DASHES, ...SINGLE_QUOTES, ...DOUBLE_QUOTES, ...FULL_WIDTH, [MATHEMATICAL_HIGH, MATHEMATICAL_HIGH], [INVISIBLE_HIGH, INVISIBLE_HIGH]])}]`,
)

const KEPT = 0
const DROPPED = 1
/** Begins a pair, which is looked up as a whole. */
const PAIR = 2

/** Unit → what becomes of it; above PAIR, the unit that takes its place. */
const table = new Uint16Array(0x10000).fill(KEPT)
const fill = (ranges: readonly Range[], value: (unit: number) => number) => {
  for (const [from, to] of ranges) for (let unit = from; unit <= to; unit++) table[unit] = value(unit)
}
fill(INVISIBLE_RANGES, () => DROPPED)
fill(SPACES, () => 0x20)
fill(DASHES, () => 0x2d)
fill(SINGLE_QUOTES, () => 0x27)
fill(DOUBLE_QUOTES, () => 0x22)
fill(FULL_WIDTH, (unit) => unit - FULL_WIDTH_OFFSET)
table[MATHEMATICAL_HIGH] = PAIR
table[INVISIBLE_HIGH] = PAIR

/** The unit for the mathematical letter whose second unit is this, by U+1D400 on; filled as they occur. */
const mathematical = new Uint16Array(0x400)

function mathematicalAt(text: string, at: number): number {
  const low = text.charCodeAt(at + 1)
  if (!(low >= 0xdc00 && low <= 0xdfff)) return KEPT
  const index = low - 0xdc00
  if (mathematical[index] === 0)
    mathematical[index] = text
      .slice(at, at + 2)
      .normalize('NFKC')
      .charCodeAt(0)
  return mathematical[index] ?? KEPT
}

/** The plain units, and where they part ways with the original: from `plain[i]` on, both run in step from `original[i]`. */
class Builder {
  readonly plain: number[] = [0]
  readonly original: number[] = [0]
  readonly units: Uint16Array
  length = 0

  constructor(size: number) {
    this.units = new Uint16Array(size)
  }

  add(unit: number): void {
    this.units[this.length++] = unit
  }

  /** The original goes on at `at`, the plain text where it is. */
  jump(at: number): void {
    const last = this.plain.length - 1
    if (this.plain[last] === this.length) this.original[last] = at
    else {
      this.plain.push(this.length)
      this.original.push(at)
    }
  }

  toString(): string {
    let text = ''
    for (let i = 0; i < this.length; i += CHUNK) {
      text += String.fromCharCode.apply(null, this.units.subarray(i, Math.min(i + CHUNK, this.length)) as unknown as number[])
    }
    return text
  }

  originalOf(index: number): number {
    let low = 0
    let high = this.plain.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.plain[middle] ?? 0) <= index) low = middle
      else high = middle - 1
    }
    return (this.original[low] ?? 0) + index - (this.plain[low] ?? 0)
  }
}

/** `String.fromCharCode` takes its arguments on the stack. */
const CHUNK = 8_192

function build(text: string): Builder {
  const builder = new Builder(text.length)
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    let becomes = table[unit] as number
    let width = 1
    if (becomes === PAIR) {
      width = 2
      becomes = isInvisiblePair(text, at) ? DROPPED : unit === MATHEMATICAL_HIGH ? mathematicalAt(text, at) : KEPT
      if (becomes === KEPT) width = 1
    }
    if (becomes !== DROPPED) builder.add(becomes === KEPT ? unit : becomes)
    if (becomes === DROPPED || width === 2) builder.jump(at + width)
    at += width - 1
  }
  return builder
}

/** One byte for each unit: ASCII, which is plain. Node counts them faster than an expression looks. */
const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

export function plain(text: string): PlainText {
  if (isAscii(text) || !NOT_PLAIN.test(text)) return { text, original: (start, end) => ({ start, end }) }
  const builder = build(text)
  return {
    text: builder.toString(),
    original(start, end) {
      const last = builder.originalOf(end - 1)
      return { start: builder.originalOf(start), end: last + ((text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1) }
    },
  }
}
