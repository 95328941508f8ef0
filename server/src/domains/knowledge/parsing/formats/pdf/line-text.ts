import { normalize } from '../../../../../platform/lib/normalize.ts'
import { CLOSE_LINK, openLink } from './links.ts'
import { isRightToLeft, logicalOrder } from './right-to-left.ts'
import type { Segment } from './segments.ts'

/** A larger gap between letters, in their heights, separates words. */
const WORD_GAP = 0.13
/** The narrowest space of a file that is seen. */
const SPACE = 0.05
const SCRIPT_SIZE = 0.85
const RAISED = 0.12
const LOWERED = 0.08

const SUPERSCRIPT: Readonly<Record<string, string>> = Object.fromEntries(
  [...'0123456789+−-=()n'].map((letter, index) => [letter, '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ'[index] ?? letter]),
)
const SUBSCRIPT: Readonly<Record<string, string>> = Object.fromEntries(
  [...'0123456789+−-=()'].map((letter, index) => [letter, '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎'[index] ?? letter]),
)
/** Accents that old fonts paint over the letter. */
const ACCENTS: Readonly<Record<string, string>> = {
  '´': '\u0301',
  '`': '\u0300',
  '¨': '\u0308',
  ˆ: '\u0302',
  '^': '\u0302',
  '˜': '\u0303',
  ˇ: '\u030c',
  '˚': '\u030a',
  '¸': '\u0327',
  '˘': '\u0306',
  '˝': '\u030b',
}

interface Piece {
  text: string
  readonly u: number
  readonly end: number
  /** The distance to the letter before, in heights of the letters. */
  readonly gap: number
  spaced: boolean
  readonly link: string | undefined
}

/** The text of a segment in the order in which it is read, with spaces between words. */
export function textOfSegment({ letters, v, size }: Segment): string {
  const pieces: Piece[] = []
  let reached = Number.NEGATIVE_INFINITY
  let height = 0
  const ordered = [...letters].sort((one, other) => one.u - other.u)
  const tracking = usualGap(
    ordered.flatMap(({ u, glyph, afterSpace }, index) => {
      const before = ordered[index - 1]
      return before && !afterSpace ? [(u - before.u - before.glyph.advance) / glyph.size] : []
    }),
  )
  for (const { glyph, u, v: base, end, afterSpace } of ordered) {
    const last = pieces.at(-1)
    const accent = ACCENTS[glyph.text]
    const shared = last ? Math.min(end, last.end) - Math.max(u, last.u) : 0
    if (last && shared > 0.5 * Math.min(end - u, last.end - last.u) && glyph.width > 0) {
      const over = ACCENTS[last.text]
      if (accent && /\p{L}/u.test(last.text)) {
        last.text = normalize(`${last.text}${accent}`, 'NFC')
        continue
      }
      if (over && /\p{L}/u.test(glyph.text)) {
        last.text = normalize(`${glyph.text}${over}`, 'NFC')
        reached = Math.max(reached, u + glyph.advance)
        continue
      }
    }
    const isScript = glyph.size < SCRIPT_SIZE * size
    const map = isScript && base - v > RAISED * size ? SUPERSCRIPT : isScript && v - base > LOWERED * size ? SUBSCRIPT : {}
    const gap = last ? (u - reached) / Math.max(glyph.size, height) : 0
    height = glyph.size
    // The letters of a ligature or of a form's value are in the order in which they are read, those of a line as they stand on the page.
    const own = isRightToLeft(glyph.text) ? logicalOrder(glyph.text) : glyph.text
    const text = [...own].map((letter) => map[letter] ?? letter).join('')
    pieces.push({ text, u, end, gap, spaced: gap > (afterSpace ? SPACE : WORD_GAP + tracking), link: glyph.link })
    reached = Math.max(reached, u + glyph.advance)
  }
  closeSpacedWords(pieces)
  if (!pieces.some(({ text }) => isRightToLeft(text))) return written(pieces)
  const targets = new Set(pieces.flatMap((piece) => piece.link ?? []))
  return [logicalOrder(written(pieces.map((piece) => ({ ...piece, link: undefined })))), ...targets].join(' ')
}

/** The distance between the letters of a text that is set wider than usual, as the median of the small ones. */
function usualGap(gaps: readonly number[]): number {
  const small = gaps.filter((gap) => gap < 0.5).sort((one, other) => one - other)
  if (small.length < 4) return 0
  return Math.min(Math.max(small[Math.floor(small.length / 3)] ?? 0, 0), 0.3)
}

const isLetter = (piece: Piece | undefined): boolean => piece !== undefined && /^\p{L}\p{M}*$/u.test(piece.text)

/** At least so many single letters in a row are a word that is set with spaces: `N O T I C E`. */
const MIN_SPACED_LETTERS = 4
/** Below this part of the gap between its letters, a gap belongs to the word. */
const SAME_GAP = 1.5

function closeSpacedWords(pieces: readonly Piece[]): void {
  const isAlone = (index: number) =>
    isLetter(pieces[index]) &&
    (index === 0 || pieces[index]?.spaced === true) &&
    (index + 1 === pieces.length || pieces[index + 1]?.spaced === true)
  for (let start = 0; start < pieces.length; ) {
    let end = start
    while (end < pieces.length && isAlone(end)) end += 1
    const run = pieces.slice(start, end)
    if (run.length >= MIN_SPACED_LETTERS && !isAlphabet(run)) {
      const gaps = run.slice(1).map(({ gap }) => gap)
      const usual = [...gaps].sort((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? 0
      for (const piece of run.slice(1)) piece.spaced = piece.gap > SAME_GAP * usual
    }
    start = Math.max(end, start + 1)
  }
}

/** `A B C D` are names of things. */
const isAlphabet = (run: readonly Piece[]): boolean =>
  run.every(({ text }, index) => index === 0 || text.charCodeAt(0) === (run[index - 1]?.text.charCodeAt(0) ?? 0) + 1)

function written(pieces: readonly Piece[]): string {
  let text = ''
  let link: string | undefined
  for (const piece of pieces) {
    if (link !== undefined && piece.link !== link) text += CLOSE_LINK
    if (piece.spaced) text += ' '
    if (piece.link !== undefined && piece.link !== link) text += openLink(piece.link)
    link = piece.link
    text += piece.text
  }
  return link === undefined ? text : text + CLOSE_LINK
}
