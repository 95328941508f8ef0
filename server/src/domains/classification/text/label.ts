import { isDigit } from './search.ts'

export const LABEL_REACH = 48
/** Words in the longest label: "driver s licence". */
const LABEL_WORDS = 3

/** Units from U+2000 to U+2E7F and from U+3000 to U+303F are punctuation and symbols. */
const isLetter = (unit: number): boolean =>
  ((unit | 32) >= 97 && (unit | 32) <= 122) ||
  (unit >= 0xc0 && unit < 0xd800 && !(unit >= 0x2000 && (unit < 0x2e80 || (unit >= 0x3000 && unit < 0x3040))))
const LINE_FEED = 10
/** From here on, scripts that write words without spaces between them: Chinese, Japanese, Korean. */
const FIRST_EAST_ASIAN = 0x2e80
/** Particles and nouns between an East Asian label and its value: `電話番号は`, `手机号码是`. */
const MAX_PARTICLES = 4

export interface Labels {
  readonly labels: ReadonlySet<string>
  /** Last words of the labels. A text that ends with another word is not a label. */
  readonly lastWords: ReadonlySet<string>
  /** Between label and value: "number", "is", "at". */
  readonly fillers: ReadonlySet<string>
  /** Last letters of `lastWords` and `fillers`, in both cases. Most words end with another letter, so they need no lookup. */
  readonly lastLetters: ReadonlySet<number>
  /** Words after which a label has another meaning: a "product name" is not a person's name. */
  readonly excludedAfter: ReadonlySet<string>
  /** East Asian labels and fillers by their last letter, the longest first. */
  readonly eastAsian: { readonly labels: Endings; readonly fillers: Endings }
}

type Endings = ReadonlyMap<number, readonly string[]>

function endingsOf(words: Iterable<string>): Endings {
  const eastAsian = [...words].filter((word) => lastUnit(word) >= FIRST_EAST_ASIAN)
  return Map.groupBy(
    eastAsian.sort((a, b) => b.length - a.length),
    lastUnit,
  )
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
    eastAsian: { labels: endingsOf(labels), fillers: endingsOf(fillerWords) },
  }
}

function wordStart(text: string, end: number, floor: number): number {
  let start = end
  while (start > floor && isLetter(text.charCodeAt(start - 1))) start--
  return start
}

function followsWordOf(text: string, end: number, words: ReadonlySet<string>): boolean {
  if (words.size === 0) return false
  const floor = Math.max(0, end - LABEL_REACH)
  let wordEnd = end
  while (wordEnd > floor && !isLetter(text.charCodeAt(wordEnd - 1))) wordEnd--
  return words.has(text.slice(wordStart(text, wordEnd, floor), wordEnd).toLowerCase())
}

const endingOf = (word: string, endings: Endings): string | undefined =>
  endings.get(lastUnit(word))?.find((ending) => word.endsWith(ending))

/** How a word of a script without spaces ends: with a label and particles (`我的电话号码是`, `FAX番号`), or it has only particles. */
function endOf(word: string, { labels, eastAsian }: Labels): 'label' | 'filler' | 'other' {
  let rest = word
  for (let count = 0; count <= MAX_PARTICLES && rest !== ''; count++) {
    const isLabel = lastUnit(rest) >= FIRST_EAST_ASIAN ? endingOf(rest, eastAsian.labels) !== undefined : labels.has(rest)
    if (isLabel) return 'label'
    const filler = endingOf(rest, eastAsian.fillers)
    if (filler === undefined) return 'other'
    rest = rest.slice(0, -filler.length)
  }
  return rest === '' ? 'filler' : 'other'
}

/** Searches backwards, and ends at a digit, a line break or after a fixed number of characters. Only fillers may be in between. */
export function isLabelled(text: string, index: number, known: Labels): boolean {
  const { labels, lastWords, fillers, lastLetters, excludedAfter } = known
  const floor = Math.max(0, index - LABEL_REACH)
  let label = ''
  let filler = ''
  let words = 0
  for (let end = index; end > floor; end--) {
    const unit = text.charCodeAt(end - 1)
    if (isDigit(unit) || unit === LINE_FEED) return false
    if (!isLetter(unit)) continue
    if (words === 0 && !lastLetters.has(unit)) return false
    const start = wordStart(text, end, floor)
    const written = text.slice(start, end)
    // The conversion is slow, and East Asian scripts have no lower case.
    const word = text.charCodeAt(start) >= FIRST_EAST_ASIAN ? written : written.toLowerCase()
    const eastAsian = words === 0 && unit >= FIRST_EAST_ASIAN ? endOf(word, known) : undefined
    if (eastAsian === 'other') return false
    if (eastAsian === 'label') return !followsWordOf(text, start, excludedAfter)
    label = label === '' ? word : `${word} ${label}`
    // An abbreviation can end with a filler: `St.-Nr.`.
    if (labels.has(label) || (filler !== '' && labels.has(`${label} ${filler}`))) {
      return !followsWordOf(text, start, excludedAfter)
    }
    filler = ''
    if (words === 0 && (eastAsian || fillers.has(word))) {
      label = ''
      filler = word
    } else if ((words === 0 && !lastWords.has(word)) || ++words === LABEL_WORDS) return false
    end = start + 1
  }
  return false
}
