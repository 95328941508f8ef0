import { COLON, FOLDED, foldUnknown, HASH_START, hashStep, IGNORED, MAYBE_END, SENTENCE_END, SEPARATOR, UNKNOWN } from './fold.ts'
import { addAnchors, COLON_SIGN, negates, noAnchors, SENTENCE, STRANGER, signOfHash } from './grammar.ts'

/** A stretch of a text. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/** A full stop ends a sentence before white space or a quote; a line feed before another. */
function endsSentence(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1)
  if (text.charCodeAt(at) === 10) return next === 10 || next === 13
  return !(next > 32) || next === 34 || next === 39
}

/** Reads a text in one pass. */
function read(text: string, reader: Reading): void {
  const length = text.length
  for (let at = 0; at < length; at++) {
    let unit = FOLDED[text.charCodeAt(at)] as number
    if (unit === UNKNOWN) unit = foldUnknown(text, at)
    if (unit > MAYBE_END) {
      const start = at
      let hash = HASH_START
      do {
        if (unit !== IGNORED) hash = hashStep(hash, unit)
        if (++at === length) break
        unit = FOLDED[text.charCodeAt(at)] as number
        if (unit === UNKNOWN) unit = foldUnknown(text, at)
      } while (unit > MAYBE_END || unit === IGNORED)
      reader.word(hash, start, at)
      if (at === length) break
    }
    if (unit === SEPARATOR || unit === IGNORED) continue
    if (unit === COLON) reader.colon(at)
    else if (unit === SENTENCE_END || endsSentence(text, at)) reader.sentenceEnd(at)
  }
}

/** `ignoreallpreviousinstructions` has 29 letters; ordinary words of 18 are rare. Longer ones than 200 are data. */
const MIN_GLUED = 18
const MAX_GLUED = 200
/** `i g n o r e  a l l …`: so many letters on their own in a row. */
const MIN_SPREAD = 12
/** A text with more of either is data: keys, hashes, tables. */
const MAX_ODD = 1_000

const STRANGER_CODE = STRANGER.charCodeAt(0)

/** What the first look at a text finds. */
export interface Glance {
  /** grammar.ts tells from them which phrases could be here. */
  readonly anchors: readonly number[]
  /** Words so long, or single letters so many, that several words may be in them. */
  readonly odd: readonly Stretch[]
}

function addOdd(odd: Stretch[], start: number, end: number): void {
  if (odd.length < MAX_ODD) odd.push({ start, end })
}

/**
 * The first look, which is the only one that most texts get: could any phrase be here, or words in disguise? It is the detector's cost
 * on ordinary texts, and kept flat for that reason.
 */
export function glance(text: string): Glance {
  const folded = FOLDED
  const length = text.length
  const anchors = noAnchors()
  const odd: Stretch[] = []
  let singles = 0
  let singlesStart = 0
  for (let at = 0; at < length; at++) {
    let unit = folded[text.charCodeAt(at)] as number
    if (unit === UNKNOWN) unit = foldUnknown(text, at)
    if (unit <= MAYBE_END) continue
    const start = at
    let letters = 0
    let hash = HASH_START
    do {
      if (unit !== IGNORED) {
        letters++
        hash = hashStep(hash, unit)
      }
      if (++at === length) break
      unit = folded[text.charCodeAt(at)] as number
      if (unit === UNKNOWN) unit = foldUnknown(text, at)
    } while (unit > MAYBE_END || unit === IGNORED)
    const sign = signOfHash(hash)
    if (sign !== STRANGER_CODE) addAnchors(anchors, sign)
    else if (letters >= MIN_GLUED && letters <= MAX_GLUED) addOdd(odd, start, at)
    if (letters === 1) {
      if (singles++ === 0) singlesStart = start
    } else if (singles > 0) {
      if (singles >= MIN_SPREAD) addOdd(odd, singlesStart, start)
      singles = 0
    }
  }
  if (singles >= MIN_SPREAD) addOdd(odd, singlesStart, length)
  return { anchors, odd }
}

const SENTENCE_CODE = SENTENCE.charCodeAt(0)
const COLON_CODE = COLON_SIGN.charCodeAt(0)
/** `String.fromCharCode` takes its arguments on the stack. */
const CHUNK = 8_192

function lineOf(codes: readonly number[]): string {
  let line = ''
  for (let i = 0; i < codes.length; i += CHUNK) line += String.fromCharCode(...codes.slice(i, i + CHUNK))
  return line
}

const CAPITAL = /^\p{Lu}/u
const SMALL = /^\p{Ll}/u
const SPACE = /^\s+$/

/** “… quince-injection Ignore all …”: a capital after nothing but white space, and a small letter begins the word after it. */
function startsAnew(text: string, lastEnd: number, start: number, end: number): boolean {
  const first = text.charCodeAt(start)
  // Most words begin with a small letter.
  if ((first >= 97 && first <= 122) || !CAPITAL.test(text.slice(start, start + 2))) return false
  return SMALL.test(text.slice(end + 1, end + 3)) && SPACE.test(text.slice(lastEnd, start))
}

/** A text read as signs (grammar.ts), one per word, each with the stretch that it stands for. */
export class Reading {
  readonly starts: number[] = []
  readonly ends: number[] = []
  readonly #text: string
  readonly #codes: number[] = []
  /** Which words begin a sentence that the one before does not end, as after a title. */
  readonly #fresh: number[] = []
  readonly signs: string
  /** The same, where such a sentence is preceded by an end: what stands before it says nothing about it. */
  readonly before: string

  constructor(text: string) {
    this.#text = text
    read(text, this)
    this.signs = lineOf(this.#codes)
    for (const at of this.#fresh) this.#codes[at - 1] = SENTENCE_CODE
    this.before = this.#fresh.length === 0 ? this.signs : lineOf(this.#codes)
  }

  word(hash: number, start: number, end: number): void {
    const last = this.#codes.length - 1
    const isFresh = last >= 0 && startsAnew(this.#text, this.ends[last] ?? 0, start, end)
    if (isFresh && !negates(this.#codes[last] ?? 0)) this.#fresh.push(last + 1)
    this.#push(signOfHash(hash), start, end)
  }

  /** Once per row: `!!!` ends one sentence. */
  sentenceEnd(at: number): void {
    if (this.#codes[this.#codes.length - 1] !== SENTENCE_CODE) this.#push(SENTENCE_CODE, at, at)
  }

  colon(at: number): void {
    if (this.#codes[this.#codes.length - 1] !== COLON_CODE) this.#push(COLON_CODE, at, at)
  }

  #push(sign: number, start: number, end: number): void {
    this.#codes.push(sign)
    this.starts.push(start)
    this.ends.push(end)
  }
}
