import type { FindingType } from '../../../domain/finding.ts'
import { foldWord, hashWord } from './fold.ts'
import { wordsOf } from './lexicon.ts'
import { type Guard, PHRASES, type Phrase } from './phrases.ts'

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

export interface CompiledPhrase {
  readonly type: FindingType
  readonly expression: RegExp
  /** What is to be tried where it begins, on what stands before it there. */
  readonly guard: RegExp | undefined
}

const ITEM = /^(!?)([^{}?]+)(\?|\{\d+,\d+\})?$/

const alternatives = (item: string): string[] => (ITEM.exec(item)?.[2] ?? item).split('|')
const isWords = (item: string): boolean => !/^<\d+>$/.test(item)

/** Name of class or word → the folded words that it stands for. */
const wordsNamed = (name: string): readonly string[] => (wordsOf(name) ?? [name]).map(foldWord)

const GUARDS: Readonly<Record<Guard, string>> = {
  // "don't ignore …", "when we ignore …", "asks you to ignore …"
  negated: '(?<![NOT]|[NOT][^.]|[SUBJECT]|[SUBJECT][^.])(?<![REPORTED][^.]{0,12})',
  // "never under any circumstances reveal …", "tries to make you reveal …"
  forbidden: '(?<![NOT][^.]{0,4})(?<![REPORTED][^.]{0,12})',
  // "if you do not follow the instructions above"
  conditional: '(?<![YOU]|[SUBJECT]|[CONDITION]|[YOU][^.]|[SUBJECT][^.])(?<![REPORTED][^.]{0,12})',
  // "tries to make you …"
  reported: '(?<![REPORTED][^.]{0,12})',
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

/** Name → the signs of its words. */
const signsOfName = new Map<string, string>([[COLON_SIGN, COLON_SIGN]])
for (const [names, sign] of signs) {
  for (const name of names.split(' ')) signsOfName.set(name, (signsOfName.get(name) ?? '') + sign)
}
const signsNamed = (name: string): string => signsOfName.get(name) ?? ''

const characterClass = (names: readonly string[]): string => `[${names.map(signsNamed).join('')}]`

function compileItem(item: string): string {
  const gap = /^<(\d+)>$/.exec(item)
  if (gap) return `${ANY}{0,${gap[1]}}?`
  const [, not, names = '', quantifier = ''] = ITEM.exec(item) ?? []
  const signsOfItem = characterClass(names.split('|'))
  return not ? `(?!${signsOfItem})` : signsOfItem + quantifier
}

const compileGuard = (guard: Guard): string =>
  GUARDS[guard].replace(/\[([A-Z]+)\]/g, (_, name: string) => characterClass(name === 'CONDITION' ? CONDITION : [name]))

const compile = ({ type, words, guard }: Phrase): CompiledPhrase => ({
  type,
  expression: new RegExp(words.split(' ').map(compileItem).join(''), 'g'),
  guard: guard && new RegExp(compileGuard(guard), 'y'),
})

const GRAMMAR: readonly CompiledPhrase[] = PHRASES.map(compile)

/** Names with words that nearly every text has. */
const COMMON = new Set(
  `DET FILL ALL YOU OWN NOT FREE is are was were s re the of to be that by or and on in it for from if as me us no not a all what which
  with can have has will :`.split(/\s+/),
)
const MASK_BITS = 30
const MASKS = Math.ceil(PHRASES.length / MASK_BITS)

/** Whether a sign is that of a word that turns what follows into its opposite. */
export const negates = (sign: number): boolean => signsNamed('NOT').includes(String.fromCharCode(sign))

/** The two items of a phrase that say most: without a word of each it cannot match. */
function anchorsOf(words: string): readonly (readonly string[])[] {
  const telling = words.split(' ').filter((item) => isWords(item) && !item.startsWith('!') && !/\?$|\{0,/.test(item))
  const anchors = telling.map(alternatives).filter((names) => !names.some((name) => COMMON.has(name)))
  return [anchors[0] ?? [], anchors.at(-1) ?? []]
}

/**
 * By sign code: in the first MASKS numbers a bit for each phrase whose first anchor it is, in the next for each whose second it is.
 * Or-ed over a text's words they tell which few phrases are worth matching.
 */
const anchorBits: (Int32Array | undefined)[] = []
for (const [index, { words }] of PHRASES.entries()) {
  for (const [which, names] of anchorsOf(words).entries()) {
    for (const sign of new Set(names.map(signsNamed).join(''))) {
      anchorBits[sign.charCodeAt(0)] ??= new Int32Array(2 * MASKS)
      const bits = anchorBits[sign.charCodeAt(0)]
      const mask = which * MASKS + Math.floor(index / MASK_BITS)
      if (bits) bits[mask] = (bits[mask] ?? 0) | (1 << (index % MASK_BITS))
    }
  }
}

const NO_ANCHORS: readonly number[] = new Array<number>(2 * MASKS).fill(0)
export const noAnchors = (): number[] => NO_ANCHORS.slice()

/** Adds the anchors of a sign to those seen before. */
export function addAnchors(seen: number[], sign: number): void {
  const bits = anchorBits[sign]
  if (bits) for (let i = 0; i < bits.length; i++) seen[i] = (seen[i] ?? 0) | (bits[i] ?? 0)
}

/** The phrases both of whose anchors were seen. */
export function* candidates(seen: readonly number[]): Generator<CompiledPhrase> {
  for (let mask = 0; mask < MASKS; mask++) {
    let both = (seen[mask] ?? 0) & (seen[mask + MASKS] ?? 0)
    while (both !== 0) {
      const bit = 31 - Math.clz32(both)
      both &= ~(1 << bit)
      const phrase = GRAMMAR[mask * MASK_BITS + bit]
      if (phrase) yield phrase
    }
  }
}

/** A hash table of signs by the hash of their folded word: a quarter full, so that a look-up is one or two steps. */
const SLOTS = 1 << (34 - Math.clz32(namesOf.size))
const hashes = new Int32Array(SLOTS)
const signCodes = new Uint16Array(SLOTS)
for (const [word, names] of namesOf) {
  const hash = hashWord(word)
  let slot = hash & (SLOTS - 1)
  while (signCodes[slot] !== 0) slot = (slot + 1) & (SLOTS - 1)
  hashes[slot] = hash
  signCodes[slot] = (signs.get(names.join(' ')) ?? STRANGER).charCodeAt(0)
}
const STRANGER_CODE = STRANGER.charCodeAt(0)

/** The code of the sign of a word with that hash. Of other words, one in ten million has a lexicon word's hash; a phrase takes several. */
export function signOfHash(hash: number): number {
  for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
    const sign = signCodes[slot] ?? 0
    if (sign === 0) return STRANGER_CODE
    if (hashes[slot] === hash) return sign
  }
}
