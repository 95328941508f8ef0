import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import type { CompoundLanguage } from '../../retrieval/compound-words.ts'
import { largestPartsOf, partsOfCompound, termOf } from '../../retrieval/language.ts'
import { isUnpairedLetter, TOKENIZER, visitWords } from '../../retrieval/words.ts'
import { compoundLanguageOf, compoundLanguagesOf } from '../../retrieval/written-language.ts'

/** Limits of PostgreSQL for a tsvector: bytes, the last position, and positions of a word. */
const MAX_BYTES = 2 ** 20 - 2 ** 14
const MAX_POSITION = 16_383
const MAX_POSITIONS = 255

/** A tsvector. The id of the conversation is one more word, so that an index range has messages of one conversation only. */
export function vectorOf(conversationUuid: string, text: string): string {
  const positions = new Map<string, number[]>()
  let bytes = 0
  const add = (term: string, position: number): void => {
    const known = positions.get(term)
    if (!known) positions.set(term, [position])
    else if (known.length < MAX_POSITIONS && known.at(-1) !== position) known.push(position)
    else return
    bytes += known ? 2 : Buffer.byteLength(term) + 8
  }
  const compounds = compoundLanguageOf(text)
  visitWords(text, (word, at, kind) => {
    if (kind === 'whole' || bytes > MAX_BYTES) return
    const position = Math.min(at + 1, MAX_POSITION)
    add(termOf(word, 'none').text, position)
    // The parts of a compound have its place, so that they are found in phrases, too.
    if (compounds) for (const part of partsOfCompound(word, compounds, 'none')) add(part, position)
  })
  return [quoted(conversationUuid), ...Array.from(positions, ([term, at]) => `${quoted(term)}:${at.join()}`)].join(' ')
}

const quoted = (term: string): string => `'${term.replace(/['\\]/g, '$&$&')}'`

const OPERANDS = /(-)?(?:"([^"]*)"?|([^\s"]+))/g

/**
 * A web search (`"a phrase"`, `or`, `-without`) as a tsquery: `INC-4711` is a phrase of its parts. A word that is a compound is also found
 * by its parts, if the message has all of them; stop words of the query's language are not required then. Undefined without words.
 */
export function queryOf(q: string): string | undefined {
  const matches = [...q.matchAll(OPERANDS)].map(([, minus, phrase, word]) => ({ minus, phrase, word }))
  const written = matches.filter(({ minus, word }) => !minus && word !== undefined && !isOr(word)).map(({ word }) => word)
  const languages = compoundLanguagesOf(written.join(' '))
  const groups: Operand[][] = [[]]
  for (const { minus, phrase, word } of matches) {
    if (!minus && word !== undefined && isOr(word)) {
      groups.push([])
      continue
    }
    const operand = phraseOf(phrase ?? word ?? '')
    if (operand === undefined) continue
    // A flag of a command such as --force is a word.
    const isExcluded = minus !== undefined && !word?.startsWith('-')
    if (isExcluded) groups.at(-1)?.push({ exact: `!(${operand})` })
    else groups.at(-1)?.push({ exact: `(${operand})`, ...(word !== undefined && splitOf(word, operand, languages)) })
  }
  const alternatives = groups.flatMap(alternativesOf)
  return alternatives.length === 0 ? undefined : alternatives.join(' | ')
}

const isOr = (word: string): boolean => word.toLowerCase() === 'or'

/** `split`: the word or its parts. `isStop`: a stop word of the query's language. */
interface Operand {
  readonly exact: string
  readonly split?: string
  readonly isStop?: () => boolean
}

function alternativesOf(operands: readonly Operand[]): string[] {
  if (operands.length === 0) return []
  const allOf = (texts: readonly string[]): string => `(${[...new Set(texts)].join(' & ')})`
  const exact = allOf(operands.map((operand) => operand.exact))
  if (operands.every(({ split }) => split === undefined)) return [exact]
  const required = operands.filter(({ isStop }) => !isStop?.())
  return [exact, allOf(required.map(({ split, exact }) => split ?? exact))]
}

function splitOf(word: string, operand: string, languages: readonly CompoundLanguage[]): Omit<Operand, 'exact'> {
  const partsIn = languages.map((language) => largestPartsOf(word, language)).filter(({ length }) => length > 0)
  const alternatives = partsIn.map((parts) => `(${parts.map((part) => quoted(termOf(part, 'none').text)).join(' & ')})`)
  return {
    ...(alternatives.length > 0 && { split: `(${[operand, ...alternatives].join(' | ')})` }),
    isStop: () => languages.some((language) => termOf(word, language).stop),
  }
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

/** Stores the words of messages that an older tokenizer has stored. Returns their number. */
export async function fillMessageWords(db: Db, most: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const rows = await tx
      .selectFrom('message')
      .select(['id', 'conversation_id', 'text'])
      // In plain text, so that the planner can use the partial index message_tokenizer.
      .where(sql<boolean>`tokenizer < ${sql.lit(TOKENIZER)}`)
      .orderBy('id')
      .limit(most)
      .forNoKeyUpdate()
      .skipLocked()
      .execute()
    if (rows.length === 0) return 0
    await sql`
      update message set words = filled.words::tsvector, tokenizer = ${TOKENIZER}
      from unnest(
        ${rows.map(({ id }) => id)}::uuid[],
        ${rows.map(({ conversation_id, text }) => vectorOf(conversation_id, text))}::text[]
      ) as filled (id, words)
      where message.id = filled.id`.execute(tx)
    return rows.length
  })
}
