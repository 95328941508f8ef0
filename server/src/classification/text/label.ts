import { isDigit } from './characters.ts'

/** Maximum number of characters between a label and its value. */
export const LABEL_REACH = 48
/** Words in the longest label: "driver s licence". */
const LABEL_WORDS = 3

const isLetter = (unit: number): boolean => ((unit | 32) >= 97 && (unit | 32) <= 122) || (unit >= 0xc0 && unit < 0xd800)
const LINE_FEED = 10

/** The labels of a kind of value, and the words between label and value ("number", "is", "at"). Lower case. */
export interface Labels {
  readonly labels: ReadonlySet<string>
  /** Last words of the labels. A text that ends with another word is not a label. */
  readonly lastWords: ReadonlySet<string>
  readonly fillers: ReadonlySet<string>
  /** Last letters of `lastWords` and `fillers`, in both cases. Most words end with another letter, so they need no lookup. */
  readonly lastLetters: ReadonlySet<number>
  /** Words after which a label has another meaning: a "product name" is not a person's name. */
  readonly excludedAfter: ReadonlySet<string>
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean))

const lastUnit = (word: string): number => word.charCodeAt(word.length - 1)

/** Labels are separated by commas, because they can have several words; fillers and excluding words by white space. */
export function labels(list: string, fillers = '', excludedAfter = ''): Labels {
  const labels = list.split(',').map((label) => label.trim().replace(/\s+/g, ' '))
  const lastWords = new Set(labels.map((label) => label.slice(label.lastIndexOf(' ') + 1)))
  const fillerWords = words(fillers)
  return {
    labels: new Set(labels),
    lastWords,
    fillers: fillerWords,
    lastLetters: new Set([...lastWords, ...fillerWords].flatMap((word) => [lastUnit(word), lastUnit(word.toUpperCase())])),
    excludedAfter: words(excludedAfter),
  }
}

function wordStart(text: string, end: number, floor: number): number {
  let start = end
  while (start > floor && isLetter(text.charCodeAt(start - 1))) start--
  return start
}

/** Whether the last word before `end` is one of `words`. */
function followsWordOf(text: string, end: number, words: ReadonlySet<string>): boolean {
  if (words.size === 0) return false
  const floor = Math.max(0, end - LABEL_REACH)
  let wordEnd = end
  while (wordEnd > floor && !isLetter(text.charCodeAt(wordEnd - 1))) wordEnd--
  return words.has(text.slice(wordStart(text, wordEnd, floor), wordEnd).toLowerCase())
}

/**
 * Whether there is a label before `index` on the same line, with only fillers in between. The search goes backwards and ends at a digit,
 * a line break or after a fixed number of characters.
 */
export function isLabelled(
  text: string,
  index: number,
  { labels, lastWords, fillers, lastLetters, excludedAfter }: Labels,
): boolean {
  const floor = Math.max(0, index - LABEL_REACH)
  let label = ''
  let words = 0
  for (let end = index; end > floor; end--) {
    const unit = text.charCodeAt(end - 1)
    if (isDigit(unit) || unit === LINE_FEED) return false
    if (!isLetter(unit)) continue
    if (words === 0 && !lastLetters.has(unit)) return false
    const start = wordStart(text, end, floor)
    const word = text.slice(start, end).toLowerCase()
    label = label === '' ? word : `${word} ${label}`
    if (labels.has(label)) return !followsWordOf(text, start, excludedAfter)
    if (words === 0 && fillers.has(word)) label = ''
    else if ((words === 0 && !lastWords.has(word)) || ++words === LABEL_WORDS) return false
    end = start + 1
  }
  return false
}
