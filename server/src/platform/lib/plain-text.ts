import { withoutLookAlikes } from './look-alikes.ts'
import {
  astralCodeOf,
  codeOf,
  compose,
  DROPPED,
  expansionOf,
  isEuropeanMark,
  isLatin,
  JAMO,
  KEPT,
  LAST_CODE,
  MANY,
  MARK,
  PAIR,
} from './plain-characters.ts'

/**
 * A text as readers see it: Unicode's NFKC form, without invisible and control characters, with typographic spaces, dashes and
 * quotes as their ASCII forms and digits of every script as ASCII digits. Otherwise a zero-width space inside a key, or full-width digits
 * of a card number, would hide them from rules and detectors.
 *
 * A combining mark joins the letter before it (`e` and U+0301 are `é`); a mark that cannot join (`w` and U+0335) is removed.
 */
export interface PlainText {
  readonly text: string
  /** Maps a span of the plain text to its span in the original, including removed characters inside and after it. */
  original(start: number, end: number): { start: number; end: number }
}

/** All forms of a text that detectors must read. */
export interface Readings {
  readonly plain: PlainText
  /**
   * The original, if letters or digits changed; the plain form without accents, if combining marks joined letters; the plain form with
   * Latin letters in place of look-alikes, if a word mixes scripts.
   */
  readonly others: readonly PlainText[]
}

function doubleCapacity(places: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * places.length)
  larger.set(places)
  return larger
}

/** Builds the plain text, and the map from its positions to the original's. */
class Builder {
  /** Pairs of a position in the plain text and its position in the original. Between two pairs both advance together. Most texts have few. */
  #places = new Int32Array(16)
  #count = 2
  #units: Uint16Array
  length = 0
  /** Letters or digits were removed, joined or replaced. */
  altered = false
  /** A mark joined a Latin letter. */
  marked = false
  readonly #mapped: boolean

  /** `mapped`: whether to build the map, which takes longer than the text. */
  constructor(size: number, mapped: boolean) {
    this.#units = new Uint16Array(size)
    this.#mapped = mapped
  }

  get last(): number {
    return this.length === 0 ? 0 : (this.#units[this.length - 1] as number)
  }

  add(unit: number): void {
    this.#units[this.length++] = unit
  }

  replaceLast(unit: number): void {
    this.#units[this.length - 1] = unit
  }

  reserve(more: number): void {
    if (this.length + more <= this.#units.length) return
    const larger = new Uint16Array(2 * (this.length + more))
    larger.set(this.#units)
    this.#units = larger
  }

  /** The next unit of the plain text maps to position `at` of the original. */
  mapNext(at: number): void {
    if (!this.#mapped) return
    if (this.#places[this.#count - 2] !== this.length) {
      if (this.#count === this.#places.length) this.#places = doubleCapacity(this.#places)
      this.#places[this.#count] = this.length
      this.#count += 2
    }
    this.#places[this.#count - 1] = at
  }

  toString(): string {
    let text = ''
    for (let i = 0; i < this.length; i += CHUNK) {
      const chunk = this.#units.subarray(i, Math.min(i + CHUNK, this.length))
      text += String.fromCharCode.apply(null, chunk as unknown as number[])
    }
    return text
  }

  /** Start of the original character of the plain unit at `index`. */
  originalOf(index: number): number {
    const places = this.#places
    let low = 0
    let high = this.#count / 2 - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((places[2 * middle] ?? 0) <= index) low = middle
      else high = middle - 1
    }
    return (places[2 * low + 1] ?? 0) + index - (places[2 * low] ?? 0)
  }
}

/** `String.fromCharCode` has its arguments on the stack, so their number must be limited. */
const CHUNK = 8_192

/** Replacements beyond ASCII are always letters. */
const isWord = (unit: number): boolean =>
  unit >= 0x80 || (unit >= 0x30 && unit <= 0x39) || ((unit | 32) >= 0x61 && (unit | 32) <= 0x7a)

/** `accents`: whether marks join Latin letters; otherwise they are removed. */
function build(text: string, from: number, accents: boolean, mapped = true): Builder {
  const builder = new Builder(text.length, mapped)
  for (let at = 0; at < from; at++) builder.add(text.charCodeAt(at))
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    let code = codeOf(unit)
    if (code === KEPT) {
      builder.add(unit)
      continue
    }
    let width = 1
    let character = unit
    if (code === PAIR) {
      character = text.codePointAt(at) ?? unit
      if (character > 0xffff) width = 2
      code = width === 2 ? astralCodeOf(character) : KEPT
    }
    if (code > LAST_CODE) {
      builder.add(code)
      builder.altered ||= isWord(code)
    } else if (code === KEPT) {
      builder.add(unit)
      if (width === 2) builder.add(text.charCodeAt(at + 1))
    } else if (code === MANY) expand(builder, expansionOf(character), { at, left: text.length - at, accents })
    else if (code === DROPPED) builder.altered = true
    else join(builder, text.slice(at, at + width), code, accents)
    if (code !== KEPT && (code <= LAST_CODE || width === 2)) builder.mapNext(at + width)
    at += width - 1
  }
  return builder
}

/** Replaces one character by several units. Each of them maps to the whole character. */
function expand(builder: Builder, units: string, { at, left, accents }: { at: number; left: number; accents: boolean }): void {
  builder.altered = true
  builder.reserve(units.length + left)
  for (let i = 0; i < units.length; i++) {
    const unit = units.charCodeAt(i)
    const code = codeOf(unit)
    if (code === MARK || code === JAMO) join(builder, units.charAt(i), code, accents)
    else {
      builder.mapNext(at)
      builder.add(code > LAST_CODE ? code : unit)
    }
  }
}

/** Joins a mark, or a part of a Hangul syllable, to the unit before it. A mark that cannot join is removed, or kept in scripts that need it. */
function join(builder: Builder, mark: string, code: number, accents: boolean): void {
  const unit = mark.charCodeAt(0)
  const base = builder.last
  const isAccent = code === MARK && (isEuropeanMark(unit) || isLatin(base))
  const joined = mark.length > 1 || (isAccent && isLatin(base) && !accents) ? 0 : compose(base, unit)
  builder.altered ||= isAccent || joined !== 0
  if (joined !== 0) {
    builder.replaceLast(joined)
    builder.marked ||= isLatin(base)
  } else if (!isAccent) for (let i = 0; i < mark.length; i++) builder.add(mark.charCodeAt(i))
}

const identity = (start: number, end: number): { start: number; end: number } => ({ start, end })

function viewOf(builder: Builder, length: number): PlainText {
  return {
    text: builder.toString(),
    original(start, end) {
      const from = builder.originalOf(start)
      const last = builder.originalOf(end - 1)
      let next = end
      while (next < builder.length && builder.originalOf(next) === last) next++
      return { start: from, end: next < builder.length ? builder.originalOf(next) : length }
    },
  }
}

/** ASCII has one byte for each unit. Counting bytes is faster than a regular expression. */
export const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

/** Index of the first control character of an ASCII text, or -1. Three times as fast as a regular expression. */
function findAsciiControl(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x7f || (unit < 0x20 && unit !== 0x09 && unit !== 0x0a && unit !== 0x0d)) return at
  }
  return -1
}

/** Index at which `text` first differs from its plain form, or -1. */
const findFirstChange = (text: string): number => (isAscii(text) ? findAsciiControl(text) : findChange(text))

function findChange(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = codeOf(text.charCodeAt(at))
    if (code === KEPT) continue
    if (code !== PAIR) return at
    const codePoint = text.codePointAt(at) ?? 0
    if (codePoint <= 0xffff) continue
    if (astralCodeOf(codePoint) !== KEPT) return at
    at++
  }
  return -1
}

export function readings(text: string): Readings {
  const itself: PlainText = { text, original: identity }
  if (isAscii(text)) {
    const control = findAsciiControl(text)
    return control < 0 ? { plain: itself, others: NONE } : readingsFrom(itself, control)
  }
  const from = findChange(text)
  const { plain, others } = from < 0 ? { plain: itself, others: NONE } : readingsFrom(itself, from)
  const latin = withoutLookAlikes(plain.text)
  return latin === plain.text ? { plain, others } : { plain, others: [...others, { ...plain, text: latin }] }
}

/** The readings of a text that first differs from its plain form at `from`. */
function readingsFrom(itself: PlainText, from: number): Readings {
  const { text } = itself
  const builder = build(text, from, true)
  const others = builder.altered ? [itself] : []
  if (builder.marked) others.push(viewOf(build(text, from, false), text.length))
  return { plain: viewOf(builder, text.length), others }
}

const NONE: readonly PlainText[] = []

/** The text of the plain form, without its map. */
export function toPlainString(text: string): string {
  const from = findFirstChange(text)
  return from < 0 ? text : build(text, from, true, false).toString()
}

const ACCENTED = /[\u00c0-\u024f\u1e00-\u1eff]+/g
const ACCENTS = /[\u0300-\u036f]/g

/** Removes the accents of Latin letters: `é` becomes `e`. */
export const withoutAccents = (text: string): string =>
  isAscii(text) ? text : text.replace(ACCENTED, (letters) => letters.normalize('NFD').replace(ACCENTS, ''))
