import { CompiledQuery } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { EntryMask } from './entry-filter.ts'
import type { Language } from './language.ts'
import { termsOf } from './packed-terms.ts'
import { visibleTerms } from './posting-source.ts'
import type { QueryWord } from './query.ts'
import type { Scope } from './scope.ts'

/** Shorter words are similar to too many terms. */
const MIN_LENGTH = 4
/** From this length on, two typing errors are accepted, and terms with the same three letters at their beginning are compared instead of two. */
const LONG = 7
const MAX_SIMILAR = 5
/** Query words that are searched in other spellings. */
const MAX_MISSPELT = 4
/** Terms compared over all partitions. */
const MAX_COMPARED = 20_000
/** Terms with a corrected beginning that are looked up over all partitions. */
const MAX_LOOKED_UP = 10_000
/** Visible entries of a partition with a filter whose terms are read. Of more entries the terms near the word are checked one by one. */
const MAX_READ = 2_000
/** Weight factor of a similar term. */
const PENALTY = 0.5

/**
 * Finds indexed terms of the scope that are similar to query words without matches: terms with the same beginning that differ by one or two
 * typing errors, and terms that one error at the beginning turns into the word. Other terms are not compared.
 */
export async function findSimilar(db: Db, scope: Scope, missing: readonly QueryWord[]): Promise<QueryWord[]> {
  const similarWords: QueryWord[] = []
  for (const word of missing.filter(couldBeMisspelt).slice(0, MAX_MISSPELT)) {
    const similar = new Map<string, Map<Language, string>>()
    for (const [language, term] of word.terms) {
      if (term.length < MIN_LENGTH) continue
      for (const other of await similarTerms(db, scope, language, [...new Set([term, word.written])])) {
        similar.set(other, (similar.get(other) ?? new Map<Language, string>()).set(language, other))
      }
    }
    for (const terms of similar.values()) similarWords.push({ ...word, terms, weight: word.weight * PENALTY })
  }
  return similarWords
}

const couldBeMisspelt = ({ terms }: QueryWord): boolean => [...terms.values()].some((term) => /^[\p{L}\p{M}]{4,}$/u.test(term))

/** `spellings`: the stem and the written word, because a typing error can mislead the stemmer. */
async function similarTerms(db: Db, scope: Scope, language: Language, spellings: readonly string[]): Promise<string[]> {
  const ids = [...scope.languages].filter(([, partitionLanguage]) => partitionLanguage === language).map(([id]) => id)
  const errorsOf = (other: string): number =>
    Math.min(
      ...spellings.map((spelling) => {
        const distance = distanceBetween(spelling, other, maxErrors(spelling))
        return distance <= maxErrors(spelling) ? distance : Number.POSITIVE_INFINITY
      }),
    )
  const isSimilar = (other: string): boolean => Number.isFinite(errorsOf(other))
  const isFew = (id: number): boolean => {
    const mask = scope.masks.get(id)
    return mask instanceof EntryMask && mask.entries <= MAX_READ
  }
  const near = nearOf(spellings)
  const [whole, few, many] = [
    ids.filter((id) => !scope.masks.has(id)),
    ids.filter(isFew),
    ids.filter((id) => scope.masks.has(id) && !isFew(id)),
  ]
  const found = [
    ...(await termsNear(db, scope, whole, near, ids.length)),
    ...(await termsOfEntries(db, scope, few)).filter((term) => isNear(near, term)),
  ].filter(isSimilar)
  // Without a limit, because terms of entries that the viewer may not see would count against it.
  const visible = await visibleTerms(db, scope, (await termsNear(db, scope, many, near, null)).filter(isSimilar))
  return distinct([...found, ...visible])
    .map((other) => ({ other, distance: errorsOf(other) }))
    .sort((a, b) => a.distance - b.distance || (a.other < b.other ? -1 : 1))
    .filter(({ distance }, at, all) => at < MAX_SIMILAR && distance === all[0]?.distance)
    .map(({ other }) => other)
}

/**
 * The terms of these partitions that are near a word, also those of pending entries; at most a share of what is compared over
 * `sharedBy` partitions, or all (null).
 */
async function termsNear(
  db: Db,
  { pending, legacy }: Scope,
  ids: readonly number[],
  near: Near,
  sharedBy: number | null,
): Promise<readonly string[]> {
  if (ids.length === 0) return []
  const corrected = [...near.corrected].slice(0, sharedBy === null ? undefined : Math.ceil(MAX_LOOKED_UP / sharedBy))
  const limit = sharedBy === null ? null : Math.ceil(MAX_COMPARED / sharedBy)
  const read = async (table: string, partitions: readonly number[]) => {
    const parameters = [partitions, near.beginnings, corrected, limit]
    return (await db.executeQuery<{ term: string }>(CompiledQuery.raw(nearIn(table), parameters))).rows.map(({ term }) => term)
  }
  const old = ids.filter((id) => legacy.has(id))
  return [
    ...(await read('retrieval_list', ids)),
    ...(old.length === 0 ? [] : await read('retrieval_posting', old)),
    ...pending.termsIn(ids).filter((term) => isNear(near, term)),
  ]
}

/** The terms of the visible entries of partitions with a filter. */
async function termsOfEntries(db: Db, { masks }: Scope, ids: readonly number[]): Promise<readonly string[]> {
  const seen = ids.flatMap((partition) => {
    const mask = masks.get(partition)
    return mask instanceof EntryMask ? [...mask.numbers()].map((number) => ({ partition, number })) : []
  })
  if (seen.length === 0) return []
  const { rows } = await db.executeQuery<{ terms: string; packed: Buffer | null }>(
    CompiledQuery.raw(
      'select terms, packed from unnest($1::bigint[], $2::bigint[]) as seen (partition_id, number) join retrieval_entry using (partition_id, number)',
      [seen.map(({ partition }) => partition), seen.map(({ number }) => number)],
    ),
  )
  return distinct(rows.flatMap(termsOf))
}

/** The terms that are compared with a word: those with these beginnings, and the corrected spellings. */
interface Near {
  readonly beginnings: readonly string[]
  readonly corrected: ReadonlySet<string>
}

const nearOf = (spellings: readonly string[]): Near => ({
  beginnings: distinct(spellings.map(prefixOf)),
  corrected: new Set(spellings.flatMap(correctedBeginnings)),
})

const isNear = ({ beginnings, corrected }: Near, term: string): boolean =>
  corrected.has(term) || beginnings.some((beginning) => term.startsWith(beginning))

/** Letters of the same alphabet are this close to each other in Unicode. */
const ALPHABET = 32

/** The words that one typing error in the first letters turns into this spelling, likelier ones first. */
export function correctedBeginnings(spelling: string): readonly string[] {
  const letters = [...spelling]
  const places = Array.from(prefixOf(spelling), (_, at) => at)
  // Of the beginning only: a word can have letters of sixty scripts.
  const alphabet = distinct(letters.slice(0, places.length + 1).flatMap(alphabetOf))
  const replace = (at: number, count: number, by: string): string =>
    [...letters.slice(0, at), by, ...letters.slice(at + count)].join('')
  return distinct([
    ...places.map((at) => replace(at, 2, `${letters[at + 1] ?? ''}${letters[at]}`)),
    ...places.map((at) => replace(at, 1, '')),
    ...places.flatMap((at) => alphabet.map((letter) => replace(at, 1, letter))),
    ...places.flatMap((at) => alphabet.map((letter) => replace(at, 0, letter))),
  ])
}

function alphabetOf(letter: string): readonly string[] {
  const code = letter.codePointAt(0) ?? 0
  return Array.from({ length: 2 * ALPHABET }, (_, at) => String.fromCodePoint(Math.max(code - ALPHABET + at, 0))).filter(
    (other) => /\p{L}/u.test(other) && other.toLowerCase() === other,
  )
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)]
const prefixOf = (spelling: string): string => spelling.slice(0, spelling.length < LONG ? 2 : 3)
const maxErrors = (spelling: string): number => (spelling.length < LONG ? 1 : 2)

/** Terms of these partitions that start with $2, at most $4 of each, and those of $3 that they have. */
const nearIn = (table: string): string => `
select distinct term from unnest($1::bigint[]) as visible (id) cross join lateral (
  select term from unnest($2::text[]) as start (text) cross join lateral (
    select distinct term from ${table} where partition_id = visible.id
      and term >= start.text and term < start.text || U&'\\+10FFFF' order by term limit $4) as begun
  union all
  select term from unnest($3::text[]) as corrected (term)
  where exists (select from ${table} list where list.partition_id = visible.id and list.term = corrected.term)
) as near`

/** Maximum length of a word ending that is ignored. */
const MAX_ENDING = 4

/**
 * The number of typing errors (wrong, additional or missing letter; two letters swapped) between a word and a term; any number above
 * `allowed` if there are more. An ending of the word that the term lacks counts half, because terms are stems and a misspelt ending
 * is not removed by the stemmer.
 */
export function distanceBetween(word: string, term: string, allowed: number): number {
  if (term.length - word.length > allowed || word.length - term.length > allowed + MAX_ENDING) return Number.POSITIVE_INFINITY
  let before: number[] = []
  let last = Array.from({ length: term.length + 1 }, (_, at) => at)
  let cut = Number.POSITIVE_INFINITY
  for (let at = 1; at <= word.length; at++) {
    const row = [at]
    for (let to = 1; to <= term.length; to++) {
      const same = word[at - 1] === term[to - 1]
      let least = Math.min((last[to] ?? 0) + 1, (row[to - 1] ?? 0) + 1, (last[to - 1] ?? 0) + (same ? 0 : 1))
      if (at > 1 && to > 1 && word[at - 1] === term[to - 2] && word[at - 2] === term[to - 1]) {
        least = Math.min(least, (before[to - 2] ?? 0) + 1)
      }
      row.push(least)
    }
    before = last
    last = row
    const ending = word.length - at
    if (ending > 0 && ending <= MAX_ENDING && term.length > MAX_ENDING) cut = Math.min(cut, (row[term.length] ?? 0) + 0.5)
  }
  return Math.min(last[term.length] ?? 0, cut)
}
