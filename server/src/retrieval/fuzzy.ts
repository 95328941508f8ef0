import type pg from 'pg'
import type { Language } from './language.ts'
import type { QueryWord } from './query.ts'
import type { Scope } from './scope.ts'
import { distanceBetween } from './spelling.ts'

/** Shorter words resemble too many others. */
const MIN_LENGTH = 4
/** From this length on two slips are forgiven, and three letters at either end are looked at instead of two. */
const LONG = 7
const MAX_SIMILAR = 5
/** Words of a query that are looked for in other spellings. */
const MAX_MISSPELT = 4
/** Terms that are compared, all partitions together. */
const MAX_COMPARED = 20_000
/** What a term is worth that the query only resembles. */
const PENALTY = 0.5

/**
 * Terms of the scope's own vocabulary that resemble words nothing has: those that begin or end alike and differ by a slip or
 * two. One slip leaves the beginning or the end of a word intact, so nothing else need be compared.
 */
export async function findSimilar(pool: pg.Pool, scope: Scope, missing: readonly QueryWord[]): Promise<QueryWord[]> {
  const found: QueryWord[] = []
  for (const word of missing.filter(couldBeMisspelt).slice(0, MAX_MISSPELT)) {
    const similar = new Map<string, Map<Language, string>>()
    for (const [language, term] of word.terms) {
      if (term.length < MIN_LENGTH) continue
      for (const other of await similarTerms(pool, scope, language, [...new Set([term, word.written])])) {
        similar.set(other, (similar.get(other) ?? new Map<Language, string>()).set(language, other))
      }
    }
    for (const terms of similar.values()) found.push({ ...word, terms, weight: word.weight * PENALTY })
  }
  return found
}

const couldBeMisspelt = ({ terms }: QueryWord): boolean => [...terms.values()].some((term) => /^[\p{L}\p{M}]{4,}$/u.test(term))

/** `spellings`: the word as a stem, and as it was written, since a slip may have led the stemmer astray. */
async function similarTerms(pool: pg.Pool, scope: Scope, language: Language, spellings: readonly string[]): Promise<string[]> {
  const ids = [...scope.languages].filter(([, spoken]) => spoken === language).map(([id]) => id)
  const { rows } = await pool.query<[term: string]>({
    rowMode: 'array',
    text: NEAR,
    values: [
      ids,
      distinct(spellings.map(endOf)),
      distinct(spellings.map((spelling) => endOf([...spelling].reverse().join('')))),
      Math.ceil(MAX_COMPARED / ids.length),
    ],
  })
  const slips = (other: string): number =>
    Math.min(
      ...spellings.map((spelling) => {
        const distance = distanceBetween(spelling, other, slipsAllowed(spelling))
        return distance <= slipsAllowed(spelling) ? distance : Number.POSITIVE_INFINITY
      }),
    )
  return rows
    .map(([other]) => ({ other, distance: slips(other) }))
    .filter(({ distance }) => Number.isFinite(distance))
    .sort((a, b) => a.distance - b.distance || (a.other < b.other ? -1 : 1))
    .filter(({ distance }, at, all) => at < MAX_SIMILAR && distance === all[0]?.distance)
    .map(({ other }) => other)
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)]
const endOf = (spelling: string): string => spelling.slice(0, spelling.length < LONG ? 2 : 3)
const slipsAllowed = (spelling: string): number => (spelling.length < LONG ? 1 : 2)

/** Terms of these partitions that begin ($2) or, read backwards, begin ($3) like that; $4 of each at most. */
const NEAR = `
select distinct term from unnest($1::bigint[]) as visible (id) cross join lateral (
  select term from unnest($2::text[]) as start (text) cross join lateral (
    select distinct term from retrieval_posting where partition_id = visible.id
      and term >= start.text and term < start.text || U&'\\+10FFFF' order by term limit $4) as begun
  union all
  select reverse(ending) from unnest($3::text[]) as finish (text) cross join lateral (
    select distinct reverse(term) as ending from retrieval_posting where partition_id = visible.id
      and reverse(term) >= finish.text and reverse(term) < finish.text || U&'\\+10FFFF' order by ending limit $4) as ended
) as near`
