import { classOf, INVISIBLE_HIGH, INVISIBLE_RANGES, isInvisiblePair } from '../../../platform/lib/invisible-characters.ts'
import { detector } from '../detector.ts'

const ANY = new RegExp(`[${classOf([...INVISIBLE_RANGES, [INVISIBLE_HIGH, INVISIBLE_HIGH]])}]`)
const invisible = new Uint8Array(0x10000)
const MAYBE_PAIR = 2
for (const [from, to] of INVISIBLE_RANGES) invisible.fill(1, from, to + 1)
invisible[INVISIBLE_HIGH] = MAYBE_PAIR

/** `at`: there is no run of invisible characters. */
function runEnd(text: string, at: number): number {
  let end = at
  for (;;) {
    const kind = invisible[text.charCodeAt(end)]
    if (kind === 1) end++
    else if (kind === MAYBE_PAIR && isInvisiblePair(text, end)) end += 2
    else return end
  }
}

const TAG = /\udb40[\udc00-\udc7f]/
const LAST_LOW_OF_TAGS = 0xdc7f
/** U+1F3F4 with the region in tags, ended by the cancel tag: 🏴󠁧󠁢󠁳󠁣󠁴󠁿. */
const FLAG = /^(?:\udb40[\udc30-\udc39\udc61-\udc7a]){3,6}\udb40\udc7f$/
const BLACK_FLAG = '\u{1f3f4}'
const OVERRIDE = /[\u202d\u202e]/
/** No legitimate sequence is longer. The tags of a flag have 14 units. */
const LONGEST_SEQUENCE = 14
const DIRECTIONS_ONLY = /^[\u061c\u200e\u200f\u202a-\u202c\u2066-\u2069]{1,4}$/
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

const between = (unit: number, from: number, to: number): boolean => unit >= from && unit <= to
const isAstral = (unit: number): boolean => between(unit, 0xd800, 0xdfff)
const isDirectionControl = (unit: number): boolean =>
  unit === 0x61c || between(unit, 0x200e, 0x200f) || between(unit, 0x202a, 0x202e) || between(unit, 0x2066, 0x2069)
/** Hebrew to Mongolian without Hangul: scripts in which joiners change the shape of letters. */
const isShaped = (unit: number): boolean =>
  between(unit, 0x590, 0x109f) || between(unit, 0x1780, 0x18af) || between(unit, 0xa800, 0xabff) || between(unit, 0xfb1d, 0xfefc)
/** Thai, Lao, Tibetan, Myanmar, Khmer, Japanese, Chinese: without spaces, so a zero-width space marks a possible line break. */
const isSpaceless = (unit: number): boolean =>
  between(unit, 0xe00, 0x109f) || between(unit, 0x1780, 0x17ff) || between(unit, 0x3000, 0x9fff) || isAstral(unit)
const isIdeograph = (unit: number): boolean => between(unit, 0x3400, 0x9fff) || between(unit, 0xf900, 0xfaff) || isAstral(unit)
/** Symbols with a text and an emoji form: arrows to dingbats, ©, ®, and nearly all beyond the BMP. */
const isPictographic = (unit: number): boolean =>
  isAstral(unit) || between(unit, 0x2000, 0x2bff) || between(unit, 0x3030, 0x3299) || unit === 0xa9 || unit === 0xae
const isKeycap = (unit: number): boolean => between(unit, 0x30, 0x39) || unit === 0x23 || unit === 0x2a
const isLetterOrDigit = (unit: number): boolean =>
  between(unit, 0x30, 0x39) || between(unit | 32, 0x61, 0x7a) || between(unit, 0xc0, 0x58f)

const SOFT_HYPHEN = '\u00ad'

/** Whether a single invisible character has a purpose between its adjacent units (NaN at an end of the text). */
function hasPurpose(unit: number, previous: number, next: number, text: string, at: number): boolean {
  switch (unit) {
    case 0x200d: // zero-width joiner
      return (isPictographic(previous) && isPictographic(next)) || isShaped(previous) || isShaped(next)
    case 0x200c: // zero-width non-joiner
      return isShaped(previous) || isShaped(next)
    case 0x200b: // zero-width space
      return isSpaceless(previous) || isSpaceless(next)
    case 0xfeff: // byte order mark
      return at === 0
    case 0xad: // soft hyphen: legitimate in a word, but not after every second or third letter
      return [-3, -2, 2, 3].every((distance) => text[at + distance] !== SOFT_HYPHEN)
    case 0x34f: // combining grapheme joiner
      return between(next, 0x300, 0x36f) || between(next, 0x591, 0x5c7)
    case 0xfe0e: // text and emoji presentation
    case 0xfe0f:
      return isPictographic(previous) || isKeycap(previous)
    case 0x200e: // left-to-right and right-to-left mark: legitimate next to dates and names, but not inside a word
    case 0x200f:
      return !(isLetterOrDigit(previous) && isLetterOrDigit(next))
    default:
      return isRareButRight(unit, previous, next)
  }
}

function isRareButRight(unit: number, previous: number, next: number): boolean {
  if (between(unit, 0xfe00, 0xfe0d)) return isIdeograph(previous) || isPictographic(previous) || between(previous, 0x1000, 0x109f)
  if (unit === 0xdb40) return isIdeograph(previous)
  if (between(unit, 0x180b, 0x180f)) return between(previous, 0x1800, 0x18af) || between(next, 0x1800, 0x18af)
  if (between(unit, 0x115f, 0x1160)) return between(previous, 0x1100, 0x11ff) || between(next, 0x1100, 0x11ff)
  if (between(unit, 0x17b4, 0x17b5)) return between(previous, 0x1780, 0x17ff)
  if (between(unit, 0x2061, 0x2064)) return !isLetterOrDigit(next)
  return false
}

function isLegitimate(text: string, start: number, end: number, rightToLeft: () => boolean): boolean {
  const previous = text.charCodeAt(start - 1)
  const next = text.charCodeAt(end)
  const first = text.charCodeAt(start)
  const isDirection = isDirectionControl(first)
  if (end - start === 1 && !isDirection) return hasPurpose(first, previous, next, text, start)
  if (end - start > LONGEST_SEQUENCE) return false
  if (first === INVISIBLE_HIGH) {
    const isTag = text.charCodeAt(start + 1) <= LAST_LOW_OF_TAGS
    if (isTag && !text.startsWith(BLACK_FLAG, start - 2)) return false
    if (end - start === 2) return !isTag && hasPurpose(first, previous, next, text, start)
  }
  const run = text.slice(start, end)
  if (OVERRIDE.test(run)) return false
  if (TAG.test(run)) return FLAG.test(run) && text.startsWith(BLACK_FLAG, start - 2)
  if (isDirection && DIRECTIONS_ONLY.test(run) && rightToLeft()) return true
  // Emoji sequences: presentation selector and joiner, as in ❤️‍🔥.
  if (run === '\ufe0f\u200d') return isPictographic(previous) && isPictographic(next)
  return run.length === 1 && hasPurpose(first, previous, next, text, start)
}

/** Runs with single visible characters between them are one finding. HTML that is hidden by styles is not a finding (decision 0004). */
export const hiddenText = detector({ name: 'hidden-text', raw: true }, (text, findings) => {
  const first = text.search(ANY)
  if (first === -1) return
  let known: boolean | undefined
  const rightToLeft = () => {
    known ??= RIGHT_TO_LEFT.test(text)
    return known
  }
  let last: { type: 'hidden.text'; start: number; end: number } | undefined
  for (let at = first; at < text.length; at++) {
    if (invisible[text.charCodeAt(at)] === 0) continue
    const end = runEnd(text, at)
    if (end === at) continue
    if (!isLegitimate(text, at, end, rightToLeft)) {
      if (last && at - last.end <= 1) last.end = end
      else {
        last = { type: 'hidden.text', start: at, end }
        findings.push(last)
      }
    }
    at = end
  }
})
