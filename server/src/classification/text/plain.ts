import { INVISIBLE, INVISIBLE_PAIR } from './invisible.ts'

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

/** Characters that are not plain, or pairs of surrogates. On an ASCII text, a one-byte string, this is answered almost without a look. */
const NOT_PLAIN = new RegExp(
  String.raw`[${INVISIBLE}\u00a0\u2000-\u200a\u2010-\u2015\u2018-\u201f\u2028\u2029\u202f\u205f\u2212\u3000\uff01-\uff5e]|\ud835[\udc00-\udfff]|${INVISIBLE_PAIR}`,
  'g',
)

const DASH = /[\u2010-\u2015\u2212]/
const SPACE = /[\u00a0\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/
const SINGLE_QUOTE = /[\u2018-\u201b]/
const DOUBLE_QUOTE = /[\u201c-\u201f]/

/** What a reader sees in place of one non-plain character; nothing for an invisible one. Never longer than what it replaces. */
function seen(character: string): string {
  if (SPACE.test(character)) return ' '
  if (DASH.test(character)) return '-'
  if (SINGLE_QUOTE.test(character)) return "'"
  if (DOUBLE_QUOTE.test(character)) return '"'
  if (/^(?:[\uff01-\uff5e]|\ud835)/.test(character)) return character.normalize('NFKC')
  return ''
}

const cache = new Map<string, string>()

function seenCached(character: string): string {
  let answer = cache.get(character)
  if (answer === undefined) {
    answer = seen(character)
    cache.set(character, answer)
  }
  return answer
}

export function plain(text: string): PlainText {
  if (text.search(NOT_PLAIN) === -1) return { text, original: (start, end) => ({ start, end }) }
  const places: Places = { plain: [0], original: [0] }
  let length = 0
  let from = 0
  const parts: string[] = []
  NOT_PLAIN.lastIndex = 0
  for (let match = NOT_PLAIN.exec(text); match; match = NOT_PLAIN.exec(text)) {
    const replacement = seenCached(match[0])
    length += match.index - from + replacement.length
    parts.push(text.slice(from, match.index), replacement)
    from = match.index + match[0].length
    if (replacement.length !== match[0].length) {
      places.plain.push(length)
      places.original.push(from)
    }
  }
  parts.push(text.slice(from))
  return {
    text: parts.join(''),
    original(start, end) {
      const last = originalOf(places, end - 1)
      return { start: originalOf(places, start), end: last + (isHighSurrogate(text.charCodeAt(last)) ? 2 : 1) }
    },
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/** From `plain[i]` on, up to the next entry, the two texts run in step from `original[i]`. */
interface Places {
  readonly plain: number[]
  readonly original: number[]
}

function originalOf({ plain, original }: Places, index: number): number {
  let low = 0
  let high = plain.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((plain[middle] ?? 0) <= index) low = middle
    else high = middle - 1
  }
  return (original[low] ?? 0) + index - (plain[low] ?? 0)
}
