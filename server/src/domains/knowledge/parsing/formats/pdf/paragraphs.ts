import { LINE_END } from './hyphens.ts'
import { CLOSE_LINK, LINK_START, writeLinks } from './links.ts'

export interface Line {
  readonly text: string
  /** The base line, in points above the page's lower edge, and the height of the letters. */
  readonly top: number
  readonly height: number
  readonly left: number
}

/** A gap of more than this many line heights starts a new paragraph. */
const PARAGRAPH_GAP = 1.7

/** Joins lines to paragraphs. */
export function paragraphsOf(lines: readonly Line[]): readonly string[] {
  const paragraphs: string[][] = []
  let previous: Line | undefined
  for (const line of lines) {
    const words = line.text.replace(/\s+/g, ' ').trim()
    if (words === '') continue
    const gap = previous ? previous.top - line.top : 0
    const isNew = !previous || gap < 0 || gap > PARAGRAPH_GAP * Math.max(previous.height, line.height, 1)
    const paragraph = isNew ? undefined : paragraphs.at(-1)
    if (paragraph) paragraph.push(joint(paragraph.pop() ?? '', words), words)
    else paragraphs.push([words])
    previous = line
  }
  return paragraphs.map((parts) => writeLinks(parts.join('')))
}

/** Chinese and Japanese have no spaces between words. */
const UNSPACED_END = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}、。，]$/u
const UNSPACED_START = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}、。，]/u
const LAST_WORD = new RegExp(`[\\p{L}\\p{N}]([-\\u2010\\u00ad])(${CLOSE_LINK}?)$`, 'u')
const FIRST_WORD = new RegExp(`^(?:${LINK_START})?(\\p{Ll}+)`, 'u')
/** `pre- and postpaid`: the hyphen stands for the rest of the word. */
const CONJUNCTIONS = new Set([
  'and',
  'or',
  'to',
  'und',
  'oder',
  'bzw',
  'bis',
  'sowie',
  'en',
  'of',
  'et',
  'ou',
  'och',
  'eller',
  'og',
])

/** A line as it stands before the next one of its paragraph. A hyphen between them gets a mark for `resolveHyphens`. */
function joint(line: string, next: string): string {
  const last = LAST_WORD.exec(line.slice(-3))
  if (!last) return UNSPACED_END.test(line.slice(-1)) && UNSPACED_START.test(next) ? line : `${line} `
  const [, hyphen, close = ''] = last
  const head = line.slice(0, line.length - 1 - close.length)
  const first = FIRST_WORD.exec(next)?.[1]
  if (hyphen === '\u00ad') return `${head}${close}`
  if (first === undefined) return `${head}-${close}`
  return CONJUNCTIONS.has(first) ? `${head}-${close} ` : `${head}-${LINE_END}${close}`
}
