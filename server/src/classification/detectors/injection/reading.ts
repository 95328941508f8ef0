import { COLON, foldAt, HASH_START, hashStep, IGNORED, MAYBE_END, SENTENCE_END } from './fold.ts'
import { bitsOf, COLON_SIGN, SENTENCE, SIGN_OF_WORD, STRANGER } from './grammar.ts'

/** A text as signs (grammar.ts), each with the span of what it stands for. */
export interface Reading {
  readonly signs: string
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** Union of the bits of all words: which phrases may be there at all. */
  readonly bits: number
  /** Spans of words so long, or letters so spread, that several words may be in them. */
  readonly odd: readonly { readonly start: number; readonly end: number }[]
}

const STRANGER_CODE = STRANGER.charCodeAt(0)
const SENTENCE_CODE = SENTENCE.charCodeAt(0)
const COLON_CODE = COLON_SIGN.charCodeAt(0)

/** `ignoreallpreviousinstructions` has 29 letters; ordinary words of 18 are rare. Longer ones than 200 are data. */
const MIN_GLUED = 18
const MAX_GLUED = 200
/** `i g n o r e  a l l …`: so many letters on their own in a row. */
const MIN_SPREAD = 12

/** A full stop ends a sentence before white space or a quote; a line feed before another. */
function endsSentence(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1)
  if (text.charCodeAt(at) === 10) return next === 10 || next === 13
  return !(next > 32) || next === 34 || next === 39
}

const CHUNK = 8_192

function toSigns(codes: readonly number[]): string {
  if (codes.length <= CHUNK) return String.fromCharCode(...codes)
  let signs = ''
  for (let i = 0; i < codes.length; i += CHUNK) signs += String.fromCharCode(...codes.slice(i, i + CHUNK))
  return signs
}

/** Reads a text in one pass. */
export function read(text: string): Reading {
  const codes: number[] = []
  const starts: number[] = []
  const ends: number[] = []
  const odd: { start: number; end: number }[] = []
  let bits = 0
  let start = -1
  let letters = 0
  let hash = HASH_START
  let singles = 0
  let singlesStart = 0

  for (let at = 0; at <= text.length; at++) {
    const unit = at < text.length ? foldAt(text, at) : SENTENCE_END
    if (unit > MAYBE_END) {
      if (start < 0) {
        start = at
        letters = 0
        hash = HASH_START
      }
      letters++
      hash = hashStep(hash, unit)
      continue
    }
    if (unit === IGNORED) continue
    if (start >= 0) {
      const sign = SIGN_OF_WORD.get(hash) ?? STRANGER_CODE
      if (sign !== STRANGER_CODE) bits |= bitsOf(sign)
      else if (letters >= MIN_GLUED && letters <= MAX_GLUED) odd.push({ start, end: at })
      codes.push(sign)
      starts.push(start)
      ends.push(at)
      if (letters > 1) {
        if (singles >= MIN_SPREAD) odd.push({ start: singlesStart, end: start })
        singles = 0
      } else if (singles++ === 0) singlesStart = start
      start = -1
    }
    const mark =
      unit === COLON ? COLON_CODE : unit === SENTENCE_END || (unit === MAYBE_END && endsSentence(text, at)) ? SENTENCE_CODE : 0
    if (mark !== 0 && codes.at(-1) !== mark) {
      codes.push(mark)
      starts.push(at)
      ends.push(at)
    }
  }
  if (singles >= MIN_SPREAD) odd.push({ start: singlesStart, end: text.length })
  return { signs: toSigns(codes), starts, ends, bits, odd }
}
