import { foldWord, hashWord } from './fold.ts'
import { wordsOf } from './lexicon.ts'
import { type Guard, PHRASES } from './phrases.ts'

/**
 * How an instruction to the model is found:
 * 1. lexicon.ts lists words by class: IGNORE holds "ignore" and its forms in fifteen languages.
 * 2. Here each set of classes gets a token, one character. Words of the same classes have the same token.
 * 3. token-line.ts reads a text as a line of tokens, one for each word, and remembers where each word stands.
 * 4. phrases.ts names phrases by classes (IGNORE ANY{0,3} INSTRUCTIONS), which become regular expressions over the line.
 * 5. A first pass over the text looks only for anchors, the rare words that each phrase needs, so most texts end there.
 * Gaps are bounded and do not cross the end of a sentence, so matching takes linear time.
 */
export const OTHER_WORD_CODE = 'w'.charCodeAt(0)
export const SENTENCE = '.'
export const COLON_TOKEN = ':'
/** First token of the lexicon. It is beyond ASCII, which has a meaning in expressions. */
const FIRST_TOKEN = 0x100

const ANY = `[^${SENTENCE}]`

const ITEM = /^(!?)([^{}?]+)(\?|\{\d+,\d+\})?$/

const alternatives = (item: string): string[] => (ITEM.exec(item)?.[2] ?? item).split('|')
const isWords = (item: string): boolean => !/^<\d+>$/.test(item)

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

const NAMES = new Set([
  ...PHRASES.flatMap(({ words }) => words.split(' ').filter(isWords).flatMap(alternatives)).filter(
    (name) => name !== COLON_TOKEN,
  ),
  'NOT',
  'SUBJECT',
  'REPORTED',
  'YOU',
  ...CONDITION,
])

const namesOf = new Map<string, string[]>()
for (const name of NAMES) for (const word of new Set(wordsNamed(name))) namesOf.set(word, [...(namesOf.get(word) ?? []), name])

const tokens = new Map<string, string>()
for (const names of namesOf.values()) {
  const key = names.join(' ')
  if (!tokens.has(key)) tokens.set(key, String.fromCharCode(FIRST_TOKEN + tokens.size))
}

const tokensOfName = new Map<string, string>([[COLON_TOKEN, COLON_TOKEN]])
for (const [names, token] of tokens) {
  for (const name of names.split(' ')) tokensOfName.set(name, (tokensOfName.get(name) ?? '') + token)
}
const tokensNamed = (name: string): string => tokensOfName.get(name) ?? ''

const characterClass = (names: readonly string[]): string => `[${names.map(tokensNamed).join('')}]`

function compileItem(item: string): string {
  const gap = /^<(\d+)>$/.exec(item)
  if (gap) return `${ANY}{0,${gap[1]}}?`
  const [, not, names = '', quantifier = ''] = ITEM.exec(item) ?? []
  const signsOfItem = characterClass(names.split('|'))
  return not ? `(?!${signsOfItem})` : signsOfItem + quantifier
}

const compileGuard = (guard: Guard): string =>
  GUARDS[guard].replace(/\[([A-Z]+)\]/g, (_, name: string) => characterClass(name === 'CONDITION' ? CONDITION : [name]))

/** A guard must match at the start of the phrase. It looks back at the words before the phrase. */
const GRAMMAR = PHRASES.map(({ type, words, guard }) => ({
  type,
  expression: new RegExp(words.split(' ').map(compileItem).join(''), 'g'),
  guard: guard && new RegExp(compileGuard(guard), 'y'),
}))
export type CompiledPhrase = (typeof GRAMMAR)[number]

/** Names whose words occur in nearly every text. */
const COMMON = new Set(
  `DET FILL ALL YOU OWN NOT FREE is are was were s re the of to be that by or and on in it for from if as me us no not a all what which
  with can have has will :`.split(/\s+/),
)
const MASK_BITS = 30
const MASKS = Math.ceil(PHRASES.length / MASK_BITS)

export const negates = (token: number): boolean => tokensNamed('NOT').includes(String.fromCharCode(token))

/** The two rarest items of a phrase. A text must contain a word of each of them. */
function anchorsOf(words: string): readonly (readonly string[])[] {
  const telling = words.split(' ').filter((item) => isWords(item) && !item.startsWith('!') && !/\?$|\{0,/.test(item))
  const anchors = telling.map(alternatives).filter((names) => !names.some((name) => COMMON.has(name)))
  return [anchors[0] ?? [], anchors.at(-1) ?? []]
}

/** By token code: bits of the phrases whose first anchor it is, then MASKS numbers on of those whose second it is. */
const anchorBits: (Int32Array | undefined)[] = []
for (const [index, { words }] of PHRASES.entries()) {
  for (const [which, names] of anchorsOf(words).entries()) {
    for (const token of new Set(names.map(tokensNamed).join(''))) {
      const bits = anchorBits[token.charCodeAt(0)] ?? new Int32Array(2 * MASKS)
      anchorBits[token.charCodeAt(0)] = bits
      const mask = which * MASKS + Math.floor(index / MASK_BITS)
      bits[mask] = (bits[mask] ?? 0) | (1 << (index % MASK_BITS))
    }
  }
}

const NO_ANCHORS: readonly number[] = new Array<number>(2 * MASKS).fill(0)
export const noAnchors = (): number[] => NO_ANCHORS.slice()

export function addAnchors(seen: number[], token: number): void {
  const bits = anchorBits[token]
  if (bits) for (let i = 0; i < bits.length; i++) seen[i] = (seen[i] ?? 0) | (bits[i] ?? 0)
}

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

/** A hash table of tokens by the hash of the folded word. It is a quarter full, so that a lookup takes one or two steps. */
const SLOTS = 1 << (34 - Math.clz32(namesOf.size))
const hashes = new Int32Array(SLOTS)
const tokenCodes = new Uint16Array(SLOTS)
for (const [word, names] of namesOf) {
  const hash = hashWord(word)
  let slot = hash & (SLOTS - 1)
  while (tokenCodes[slot] !== 0) slot = (slot + 1) & (SLOTS - 1)
  hashes[slot] = hash
  tokenCodes[slot] = tokens.get(names.join(' '))?.charCodeAt(0) ?? OTHER_WORD_CODE
}

/** The code of the token for the hash of a word. One in ten million other words has the hash of a lexicon word; a phrase needs several. */
export function tokenOfHash(hash: number): number {
  for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
    const token = tokenCodes[slot] ?? 0
    if (token === 0) return OTHER_WORD_CODE
    if (hashes[slot] === hash) return token
  }
}
