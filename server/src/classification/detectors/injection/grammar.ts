import type { FindingType } from '../../../domain/finding.ts'
import { foldWord, hashWord } from './fold.ts'
import { wordsOf } from './lexicon.ts'
import { type Guard, PHRASES } from './phrases.ts'

/**
 * A text is read as a line of signs, one per word, and phrases are regular expressions over that line. Words that belong to the same
 * classes share a sign. Gaps are bounded and do not cross sentence ends, so matching is linear.
 */
export const STRANGER = 'w'
export const SENTENCE = '.'
export const COLON_SIGN = ':'
/** Where the lexicon's signs begin; clear of ASCII, which has a meaning in expressions. */
const FIRST_SIGN = 0x100

const ANY = `[^${SENTENCE}]`

interface CompiledPhrase {
  readonly type: FindingType
  readonly expression: RegExp
  /** Every number has a bit in common with a text's mask, or the phrase cannot match. */
  readonly needs: readonly number[]
}

const ITEM = /^(!?)([^{}?]+)(\?|\{\d+,\d+\})?$/

const alternatives = (item: string): string[] => (ITEM.exec(item)?.[2] ?? item).split('|')
const isWords = (item: string): boolean => !/^<\d+>$/.test(item)

/** Name of class or word → the folded words that it stands for. */
const wordsNamed = (name: string): readonly string[] => (wordsOf(name) ?? [name]).map(foldWord)

const GUARDS: Readonly<Record<Guard, string>> = {
  // "don't ignore …", "when we ignore …", "asks you to ignore …"
  negated: '(?<![NOT]|[NOT].|[SUBJECT]|[SUBJECT].)(?<![REPORTED][^.]{0,4})',
  // "never under any circumstances reveal …", "tries to make you reveal …"
  forbidden: '(?<![NOT][^.]{0,4})(?<![REPORTED][^.]{0,4})',
  // "if you do not follow the instructions above"
  conditional: '(?<![YOU]|[SUBJECT]|[CONDITION]|[YOU].|[SUBJECT].)(?<![REPORTED][^.]{0,4})',
}
const CONDITION = ['if', 'when', 'to', 'who', 'those', 'may', 'does', 'did']

/** All names that phrases and guards use. */
const NAMES = new Set([
  ...PHRASES.flatMap(({ words }) => words.split(' ').filter(isWords).flatMap(alternatives)).filter((name) => name !== COLON_SIGN),
  'NOT',
  'SUBJECT',
  'REPORTED',
  'YOU',
  ...CONDITION,
])

/** Folded word → the names that it goes by, sorted. */
const namesOf = new Map<string, string[]>()
for (const name of NAMES) for (const word of new Set(wordsNamed(name))) namesOf.set(word, [...(namesOf.get(word) ?? []), name])

/** Names of one word, joined → its sign. */
const signs = new Map<string, string>()
for (const names of namesOf.values()) {
  const key = names.join(' ')
  if (!signs.has(key)) signs.set(key, String.fromCharCode(FIRST_SIGN + signs.size))
}

const signsNamed = (name: string): string => {
  if (name === COLON_SIGN) return COLON_SIGN
  return [...signs].flatMap(([names, sign]) => (names.split(' ').includes(name) ? [sign] : [])).join('')
}

const characterClass = (names: readonly string[]): string => `[${names.map(signsNamed).join('')}]`

/** Rarest of the names that filter phrases have a bit each: a text without an `ORDERS` word is not matched for phrases about orders. */
const BITS = new Map(
  [
    'DISMISS',
    'WIPE',
    'ORDERS',
    'PROMPTWORD',
    'REVEAL',
    'RECITE',
    'TELL',
    'PRIOR',
    'OWN',
    'ACT',
    'AI',
    'FREE',
    'RAILS',
    'HARD_RAILS',
    'UNFILTERED',
  ]
    .concat([
      'UNBOUND',
      'MORAL',
      'BOUND',
      'OPENAI',
      'MODE',
      'REFUSE',
      'BYPASS',
      'SEND',
      'LINK',
      'ORDERED',
      'SISTEMA',
      'EVERYTHING',
      'now',
      'NEW',
    ])
    .map((name, bit) => [name, 1 << bit]),
)

/** Sign code - FIRST_SIGN → the bits of its names. */
const bitsOfSign = [...signs.keys()].map((names) => names.split(' ').reduce((bits, name) => bits | (BITS.get(name) ?? 0), 0))

function compileItem(item: string): string {
  const gap = /^<(\d+)>$/.exec(item)
  if (gap) return `${ANY}{0,${gap[1]}}?`
  const [, not, names = '', quantifier = ''] = ITEM.exec(item) ?? []
  const signsOfItem = characterClass(names.split('|'))
  return not ? `(?!${signsOfItem})` : signsOfItem + quantifier
}

function bitsNeeded(item: string): number[] {
  const isMandatory = isWords(item) && !item.startsWith('!') && !/\?$|\{0,/.test(item)
  const bits = isMandatory ? alternatives(item).map((name) => BITS.get(name) ?? 0) : [0]
  return bits.includes(0) ? [] : [bits.reduce((all, bit) => all | bit, 0)]
}

const compileGuard = (guard: Guard): string =>
  GUARDS[guard].replace(/\[([A-Z]+)\]/g, (_, name: string) => characterClass(name === 'CONDITION' ? CONDITION : [name]))

export const GRAMMAR: readonly CompiledPhrase[] = PHRASES.map(({ type, words, guard }) => {
  const items = words.split(' ')
  const source = items.map(compileItem).join('')
  return {
    type,
    expression: new RegExp((guard ? compileGuard(guard) : '') + source, 'g'),
    needs: items.flatMap(bitsNeeded),
  }
})

/** Hash of a folded word → its sign's code. Of other words, one in ten million has a lexicon word's hash; a phrase takes several. */
export const SIGN_OF_WORD: ReadonlyMap<number, number> = new Map(
  [...namesOf].map(([word, names]) => [hashWord(word), (signs.get(names.join(' ')) ?? STRANGER).charCodeAt(0)]),
)

export const bitsOf = (sign: number): number => bitsOfSign[sign - FIRST_SIGN] ?? 0
