import { normalize } from '../../platform/lib/normalize.ts'

/**
 * The version of `splitWords` and `termOf`, which every indexed text records. A change of their results raises it, and a migration adds
 * indexes of the rows with a former version (docs/decisions/0011-lexical-search.md, Words).
 */
export const TOKENIZER = 4

const LETTER = String.raw`[\p{L}\p{N}\p{M}]`
/** Scripts without spaces between words. */
const SCRIPTS = [
  ...[
    'Han',
    'Hiragana',
    'Katakana',
    'Bopomofo',
    'Yi',
    'Thai',
    'Lao',
    'Khmer',
    'Myanmar',
    'Tai_Le',
    'New_Tai_Lue',
    'Tai_Tham',
    'Tai_Viet',
  ],
  ...['Javanese', 'Balinese', 'Cham'],
]
  .map((script) => String.raw`\p{scx=${script}}`)
  .join('')
/** Accents and apostrophes of Latin and Cyrillic letters are used in Thai, too. */
const SHARED = String.raw`[\p{scx=Latin}\p{scx=Cyrillic}]`
const WITHOUT_SPACES = `[[[${SCRIPTS}]&&${LETTER}]--${SHARED}]`
/**
 * Scripts without spaces, and Korean, whose words end in particles: indexed by pairs of adjacent characters, and Chinese also by single
 * characters.
 */
const UNSPACED = `[${WITHOUT_SPACES}[\\p{scx=Hangul}&&${LETTER}]]`
const SPACED = `[${LETTER}--${UNSPACED}]`
/** Such as C++ and C#. */
const SIGNED = String.raw`(?<!${LETTER})[A-Za-z](?:\+\+|#)(?!${LETTER})`
/** Letters and digits with the characters that join them in names and numbers; or letters of a script without spaces. */
const COMPOUND = new RegExp(`${UNSPACED}+|${SIGNED}|${SPACED}+(?:[\\-_.:\\/@+'’]+${SPACED}+)*`, 'gv')
/** An apostrophe belongs to its word. */
const PART = new RegExp(`${SPACED}+(?:['’]${SPACED}+)*`, 'gv')
const IS_UNSPACED = new RegExp(`^${UNSPACED}`, 'v')
/** Compounds such as names in code, order numbers and versions are also indexed as a whole. */
const IDENTIFIER = /[\p{N}_:/@#]|\.\p{L}|\+\+$/u
/** The boundaries of CamelCase parts, also in HTTPServer. */
const HUMP = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
/** INC4711 and 25kg, but not v2 and not hexadecimal numbers. */
const LETTERS_AND_DIGITS = /^(?:\p{L}{2,}(?=\p{N})\p{N}{2,}|\p{N}{2,}(?=\p{L})\p{L}{2,})$/u
const BETWEEN_LETTERS_AND_DIGITS = /(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u
const HAN = /\p{Script=Han}/u
const ONE_LETTER = new RegExp(`^${UNSPACED}$`, 'v')
/** Korean nouns of one syllable with a particle. Longer nouns are found by their pairs. */
const SYLLABLE_WITH_PARTICLE =
  /^\p{Script=Hangul}(?=(?:은|는|이|가|을|를|에|의|도|로|와|과|만|에서|에는|에도|에게|으로|까지|부터|처럼|보다|마다|하고|이나|이랑)$)/u
const ASCII = /^[\x20-\x7e\s]*$/
/** A soft hyphen with the line break after it, and characters that are not visible within a word. */
const INVISIBLE = /\u00ad[ \t]*\r?\n[ \t]*|\p{Default_Ignorable_Code_Point}+/gu
/** A line break within a text of a script without spaces is only layout. */
const WRAP = new RegExp(`(?<=${WITHOUT_SPACES})[ \\t]*\\r?\\n[ \\t]*(?=${WITHOUT_SPACES})`, 'gv')
const MAX_WORD = 64

/**
 * part: a word, a part of a compound, or a pair of letters; parts alone make up the text. piece: of a part, such as a word of CamelCase
 * or one Chinese character. fragment: the letters or the digits of INC4711. whole: a compound.
 */
type WordKind = 'part' | 'piece' | 'fragment' | 'whole'
/** `at`: the position of the word, counting parts of compounds, and letters of scripts without spaces. */
type VisitWord = (word: string, at: number, kind: WordKind) => void

/** The words of a text in their order and spelling. Identifiers are included as a whole and in parts. */
export function splitWords(text: string): string[] {
  const words: string[] = []
  visitWords(text, (word) => words.push(word))
  return words
}

/** Like `splitWords`, with positions, for searches of phrases. */
export function visitWords(text: string, visit: VisitWord): void {
  let at = 0
  for (const [compound] of visible(text).matchAll(COMPOUND)) {
    if (IS_UNSPACED.test(compound)) {
      at = visitPairs(compound, at, visit)
      continue
    }
    const first = at
    const parts = compound.match(PART) ?? []
    for (const part of parts) {
      visit(cut(part), at, 'part')
      if (HUMP.test(part)) for (const piece of part.split(HUMP)) visit(cut(piece), at, 'piece')
      else if (LETTERS_AND_DIGITS.test(part))
        for (const fragment of part.split(BETWEEN_LETTERS_AND_DIGITS)) visit(cut(fragment), at, 'fragment')
      at++
    }
    if (compound !== parts[0] && IDENTIFIER.test(compound)) visit(cut(compound), first, 'whole')
  }
}

const visible = (text: string): string =>
  ASCII.test(text) ? text : normalize(text.replace(INVISIBLE, ''), 'NFKC').replace(WRAP, '').replaceAll('\u2010', '-')

/** Cuts a long word without leaving half of a surrogate pair. */
const cut = (word: string): string =>
  word.length <= MAX_WORD
    ? word
    : word
        .slice(0, MAX_WORD)
        .toWellFormed()
        .replace(/\ufffd$/, '')

/** Returns the position after these letters. */
function visitPairs(run: string, from: number, visit: VisitWord): number {
  const letters = [...run]
  const [only = ''] = letters
  if (letters.length === 1) visit(only, from, 'part')
  else
    letters.forEach((letter, at) => {
      if (HAN.test(letter)) visit(letter, from + at, 'piece')
      if (at + 1 < letters.length) visit(`${letter}${letters[at + 1]}`, from + at, 'part')
    })
  const noun = SYLLABLE_WITH_PARTICLE.exec(run)?.[0]
  if (noun !== undefined) visit(noun, from, 'piece')
  return from + letters.length
}

/** Whether the word is one letter of a script whose longer words are indexed by pairs only. */
export const isUnpairedLetter = (word: string): boolean => ONE_LETTER.test(word) && !HAN.test(word)
