import {
  COLON,
  FOLDED,
  foldUnknown,
  HASH_START,
  hashStep,
  IGNORED,
  POSSIBLE_END,
  SENTENCE_END,
  SEPARATOR,
  UNKNOWN,
} from './fold.ts'
import { addAnchors, COLON_TOKEN, negates, noAnchors, OTHER_WORD_CODE, SENTENCE, tokenOfHash } from './grammar.ts'

/** A full stop ends a sentence if white space or a quote follows; a line feed if another line feed follows. */
function endsSentence(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1)
  if (text.charCodeAt(at) === 10) return next === 10 || next === 13
  return !(next > 32) || next === 34 || next === 39
}

function readWords(text: string, line: TokenLine): void {
  const length = text.length
  for (let at = 0; at < length; at++) {
    let unit = FOLDED[text.charCodeAt(at)] as number
    if (unit === UNKNOWN) unit = foldUnknown(text, at)
    if (unit > POSSIBLE_END) {
      const start = at
      let hash = HASH_START
      do {
        if (unit !== IGNORED) hash = hashStep(hash, unit)
        if (++at === length) break
        unit = FOLDED[text.charCodeAt(at)] as number
        if (unit === UNKNOWN) unit = foldUnknown(text, at)
      } while (unit > POSSIBLE_END || unit === IGNORED)
      line.addWord(hash, start, at)
      if (at === length) break
    }
    if (unit === SEPARATOR || unit === IGNORED) continue
    if (unit === COLON) line.addColon(at)
    else if (unit === SENTENCE_END || endsSentence(text, at)) line.addSentenceEnd(at)
  }
}

/** `ignoreallpreviousinstructions` has 29 letters. Ordinary words with 18 letters are rare; words with more than 200 are data. */
const MIN_JOINED = 18
const MAX_JOINED = 200
const MIN_SPACED = 12
/** A text with more suspicious parts is data: keys, hashes, tables. */
const MAX_SUSPICIOUS = 1_000

type TextSpan = { readonly start: number; readonly end: number }

/** For very long words and sequences of single letters, which can contain several words. */
function addSuspicious(suspicious: TextSpan[], start: number, end: number): void {
  if (suspicious.length < MAX_SUSPICIOUS) suspicious.push({ start, end })
}

/** The first pass over a text; most texts need no other. It is one flat loop, because every text passes it. */
export function findAnchors(text: string) {
  const folded = FOLDED
  const length = text.length
  const anchors = noAnchors()
  const suspicious: TextSpan[] = []
  let singles = 0
  let singlesStart = 0
  let words = 0
  let marks = 0
  for (let at = 0; at < length; at++) {
    let unit = folded[text.charCodeAt(at)] as number
    if (unit === UNKNOWN) unit = foldUnknown(text, at)
    if (unit <= POSSIBLE_END) {
      if (unit > IGNORED) marks++
      continue
    }
    words++
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
    } while (unit > POSSIBLE_END || unit === IGNORED)
    const token = tokenOfHash(hash)
    if (token !== OTHER_WORD_CODE) addAnchors(anchors, token)
    else if (letters >= MIN_JOINED && letters <= MAX_JOINED) addSuspicious(suspicious, start, at)
    if (letters === 1) {
      if (singles++ === 0) singlesStart = start
    } else if (singles > 0) {
      if (singles >= MIN_SPACED) addSuspicious(suspicious, singlesStart, start)
      singles = 0
    }
  }
  if (singles >= MIN_SPACED) addSuspicious(suspicious, singlesStart, length)
  // A word is followed by at most one mark that was not counted.
  return { anchors, suspicious, maxTokens: 2 * words + marks }
}

const SENTENCE_CODE = SENTENCE.charCodeAt(0)
const COLON_CODE = COLON_TOKEN.charCodeAt(0)
const CAPITAL = /^\p{Lu}/u
const SMALL = /^\p{Ll}/u
const SPACE = /^\s+$/

/** Whether a capitalised word starts a sentence without an end mark before it: “… quince-injection Ignore all …”. */
function startsSentence(text: string, lastEnd: number, start: number, end: number): boolean {
  const first = text.charCodeAt(start)
  if ((first >= 97 && first <= 122) || !CAPITAL.test(text.slice(start, start + 2))) return false
  return SMALL.test(text.slice(end + 1, end + 3)) && SPACE.test(text.slice(lastEnd, start))
}

/**
 * A text as a line of tokens (grammar.ts), one for each word, with the span of each word. Arrays of numbers that grow would be copied and collected, which
 * takes more than linear time. `maxTokens`: as `findAnchors` counts them.
 */
export class TokenLine {
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly #text: string
  readonly #codes: Uint16Array<ArrayBuffer>
  #length = 0
  /** Words that start a sentence without an end mark before them, as after a title. */
  readonly #sentenceStarts: number[] = []
  readonly tokens: string
  /** Like `tokens`, with an end mark before such sentences, so that guards ignore the words before them. */
  readonly before: string

  constructor(text: string, maxTokens: number) {
    this.#text = text
    this.starts = new Int32Array(maxTokens)
    this.ends = new Int32Array(maxTokens)
    this.#codes = new Uint16Array(maxTokens)
    readWords(text, this)
    this.tokens = this.#line()
    for (const at of this.#sentenceStarts) this.#codes[at - 1] = SENTENCE_CODE
    this.before = this.#sentenceStarts.length === 0 ? this.tokens : this.#line()
  }

  addWord(hash: number, start: number, end: number): void {
    const last = this.#length - 1
    const isStart = last >= 0 && startsSentence(this.#text, this.ends[last] ?? 0, start, end)
    if (isStart && !negates(this.#codes[last] ?? 0)) this.#sentenceStarts.push(last + 1)
    this.#push(tokenOfHash(hash), start, end)
  }

  /** Adds one token for consecutive end marks such as `!!!`. */
  addSentenceEnd(at: number): void {
    if (this.#codes[this.#length - 1] !== SENTENCE_CODE) this.#push(SENTENCE_CODE, at, at)
  }

  addColon(at: number): void {
    if (this.#codes[this.#length - 1] !== COLON_CODE) this.#push(COLON_CODE, at, at)
  }

  #push(token: number, start: number, end: number): void {
    this.#codes[this.#length] = token
    this.starts[this.#length] = start
    this.ends[this.#length++] = end
  }

  /** Each token is one UTF-16 unit. */
  #line(): string {
    return Buffer.from(this.#codes.buffer, 0, this.#length * Uint16Array.BYTES_PER_ELEMENT).toString('utf16le')
  }
}
