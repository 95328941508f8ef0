import { termOf } from '../../retrieval/language.ts'
import { isUnpairedLetter, visitWords } from '../../retrieval/words.ts'

/** Limits of PostgreSQL for a tsvector: bytes, the last position, and positions of a word. */
const MAX_BYTES = 2 ** 20 - 2 ** 14
const MAX_POSITION = 16_383
const MAX_POSITIONS = 255

/**
 * The words of a message with their positions, as a tsvector. The id of its conversation is one more word, so that an index range
 * contains messages of one conversation only.
 */
export function vectorOf(conversationUuid: string, text: string): string {
  const positions = new Map<string, number[]>()
  let bytes = 0
  visitWords(text, (word, at, kind) => {
    if (kind === 'whole' || bytes > MAX_BYTES) return
    const term = termOf(word, 'none').text
    const known = positions.get(term)
    const position = Math.min(at + 1, MAX_POSITION)
    if (!known) positions.set(term, [position])
    else if (known.length < MAX_POSITIONS && known.at(-1) !== position) known.push(position)
    else return
    bytes += known ? 2 : Buffer.byteLength(term) + 8
  })
  return [quoted(conversationUuid), ...Array.from(positions, ([term, at]) => `${quoted(term)}:${at.join()}`)].join(' ')
}

const quoted = (term: string): string => `'${term.replace(/['\\]/g, '$&$&')}'`

/** `-` before a phrase in quotes or a word, then the phrase or the word. */
const OPERANDS = /(-)?(?:"([^"]*)"?|([^\s"]+))/g

/**
 * A query in the syntax of web searches (`"a phrase"`, `or`, `-without`) as a tsquery. Words that the tokenizer divides, such as
 * `INC-4711`, are phrases of their parts. Undefined if it has no words.
 */
export function queryOf(q: string): string | undefined {
  const groups: Set<string>[] = [new Set()]
  for (const [, minus, phrase, word] of q.matchAll(OPERANDS)) {
    if (!minus && word?.toLowerCase() === 'or') {
      groups.push(new Set())
      continue
    }
    const operand = phraseOf(phrase ?? word ?? '')
    // A flag of a command such as --force is a word.
    const isExcluded = minus !== undefined && !word?.startsWith('-')
    if (operand !== undefined) groups.at(-1)?.add(isExcluded ? `!(${operand})` : `(${operand})`)
  }
  const alternatives = groups.filter(({ size }) => size > 0).map((operands) => `(${[...operands].join(' & ')})`)
  return alternatives.length === 0 ? undefined : alternatives.join(' | ')
}

function phraseOf(text: string): string | undefined {
  let phrase: string | undefined
  let last = 0
  visitWords(text, (word, at, kind) => {
    if (kind !== 'part') return
    const term = termOf(word, 'none').text
    const operand = `${quoted(term)}${isUnpairedLetter(term) ? ':*' : ''}`
    phrase = phrase === undefined ? operand : `${phrase} <${at - last}> ${operand}`
    last = at
  })
  return phrase
}
