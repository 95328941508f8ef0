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
 * A text as its reader sees it: Unicode's NFKC form, without invisible and control characters, with typographic spaces, dashes and
 * quotes as their ASCII forms and digits of every script as ASCII digits. Otherwise a zero-width space inside a key, or a card
 * number in full-width digits, would hide it from every rule and detector.
 *
 * A combining mark joins the letter before it (`e` and U+0301 are `é`); one that cannot (`w` and U+0335) goes.
 */
export interface PlainText {
  readonly text: string
  /** Maps a span of the plain text to the span of the original that it stands for, removed characters in and behind it included. */
  original(start: number, end: number): { start: number; end: number }
}

/** Every way in which a text can be read: as its plain form, and where that hides something, in the others. */
export interface Readings {
  readonly plain: PlainText
  /** The original, where letters or digits were removed, joined or replaced; and without accents, where marks were typed apart. */
  readonly others: readonly PlainText[]
}

/** Room for a few places at first: most texts have none or a handful. */
const PLACES = 16

function grown(places: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * places.length)
  larger.set(places)
  return larger
}

/** The plain units, and where they part ways with the original: from `plain[i]` on, both run in step from `original[i]`. */
class Builder {
  /** Pairs of a place in the plain text and its place in the original. */
  #places = new Int32Array(PLACES)
  #count = 2
  #units: Uint16Array
  length = 0
  /** Letters or digits were removed, joined or replaced. */
  altered = false
  /** A mark joined a Latin letter. */
  marked = false

  readonly #mapped: boolean

  /** `mapped`: whether spans are to be mapped back, which costs more than the text. */
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

  /** Room for `more` units behind those that there are. */
  reserve(more: number): void {
    if (this.length + more <= this.#units.length) return
    const larger = new Uint16Array(2 * (this.length + more))
    larger.set(this.#units)
    this.#units = larger
  }

  /** The original goes on at `at`, the plain text where it is. */
  jump(at: number): void {
    if (!this.#mapped) return
    if (this.#places[this.#count - 2] !== this.length) {
      if (this.#count === this.#places.length) this.#places = grown(this.#places)
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

  /** Where in the original the character begins that the plain unit at `index` stands for. */
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

/** `String.fromCharCode` takes its arguments on the stack. */
const CHUNK = 8_192

/** ASCII letters and digits; whatever a replacement is beyond ASCII is a letter too. */
const isWord = (unit: number): boolean =>
  unit >= 0x80 || (unit >= 0x30 && unit <= 0x39) || ((unit | 32) >= 0x61 && (unit | 32) <= 0x7a)

/** `accents`: whether marks may join Latin letters, or go. */
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
    if (code !== KEPT && (code <= LAST_CODE || width === 2)) builder.jump(at + width)
    at += width - 1
  }
  return builder
}

/** Several units in the place of one character: each of them stands for the whole. */
function expand(builder: Builder, units: string, { at, left, accents }: { at: number; left: number; accents: boolean }): void {
  builder.altered = true
  builder.reserve(units.length + left)
  for (let i = 0; i < units.length; i++) {
    const unit = units.charCodeAt(i)
    const code = codeOf(unit)
    if (code === MARK || code === JAMO) join(builder, units.charAt(i), code, accents)
    else {
      builder.jump(at)
      builder.add(code > LAST_CODE ? code : unit)
    }
  }
}

/** A mark, or a part of a Hangul syllable, joins the unit before it; a mark that cannot goes, unless its script is written so. */
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

const same = (start: number, end: number): { start: number; end: number } => ({ start, end })

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

/** One byte for each unit. Node counts them faster than an expression looks. */
const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

/** Where the first control character of an ASCII text stands; -1: it has none. Three times as fast as an expression. */
function asciiControlAt(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x7f || (unit < 0x20 && unit !== 0x09 && unit !== 0x0a && unit !== 0x0d)) return at
  }
  return -1
}

/** Where `text` first differs from its plain form; -1: nowhere. */
function firstChange(text: string): number {
  if (isAscii(text)) return asciiControlAt(text)
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

/** Linear in the length of the text, and nearly free for ASCII. */
export function readings(text: string): Readings {
  const from = firstChange(text)
  const itself: PlainText = { text, original: same }
  if (from < 0) return { plain: itself, others: NONE }
  const builder = build(text, from, true)
  const others = builder.altered ? [itself] : []
  if (builder.marked) others.push(viewOf(build(text, from, false), text.length))
  return { plain: viewOf(builder, text.length), others }
}

const NONE: readonly PlainText[] = []

export const toPlainText = (text: string): PlainText => readings(text).plain

/** The text of the plain form alone. */
export function toPlainString(text: string): string {
  const from = firstChange(text)
  return from < 0 ? text : build(text, from, true, false).toString()
}

const ACCENTED = /[\u00c0-\u024f\u1e00-\u1eff]+/g
const ACCENTS = /[\u0300-\u036f]/g

/** A plain text with the accents of its Latin letters gone: `é` as `e`. */
export const withoutAccents = (text: string): string =>
  isAscii(text) ? text : text.replace(ACCENTED, (letters) => letters.normalize('NFD').replace(ACCENTS, ''))
