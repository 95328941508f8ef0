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
      for (const other of await similarTerms(pool, scope, language, term)) {
        similar.set(other, (similar.get(other) ?? new Map<Language, string>()).set(language, other))
      }
    }
    for (const terms of similar.values()) found.push({ terms, weight: word.weight * PENALTY })
  }
  return found
}

const couldBeMisspelt = ({ terms }: QueryWord): boolean => [...terms.values()].some((term) => /^[\p{L}\p{M}]{4,}$/u.test(term))

async function similarTerms(pool: pg.Pool, scope: Scope, language: Language, term: string): Promise<string[]> {
  const ids = [...scope.languages].filter(([, spoken]) => spoken === language).map(([id]) => id)
  const end = term.length < LONG ? 2 : 3
  const { rows } = await pool.query<[term: string]>({
    rowMode: 'array',
    text: `select distinct term from unnest($1::bigint[]) as visible (id) cross join lateral (
        (select distinct term from retrieval_posting where partition_id = visible.id
          and term >= $2 and term < $2 || U&'\\+10FFFF' order by term limit $4)
        union all
        select reverse(ending) from (select distinct reverse(term) as ending from retrieval_posting where partition_id = visible.id
          and reverse(term) >= $3 and reverse(term) < $3 || U&'\\+10FFFF' order by ending limit $4) as endings
      ) as near`,
    values: [ids, term.slice(0, end), [...term].reverse().join('').slice(0, end), Math.ceil(MAX_COMPARED / ids.length)],
  })
  const allowed = term.length < LONG ? 1 : 2
  return rows
    .map(([other]) => ({ other, distance: distanceBetween(term, other, allowed) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance || (a.other < b.other ? -1 : 1))
    .filter(({ distance }, at, all) => at < MAX_SIMILAR && distance === all[0]?.distance)
    .map(({ other }) => other)
}
