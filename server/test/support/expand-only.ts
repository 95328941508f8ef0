/** The last migration of the first schema; all later ones only expand it. */
export const LAST_OF_FIRST_SCHEMA = '0013-server'

/**
 * Statements that would break the last release, which is still running, as far as their text shows. Tables of settings have few rows, so
 * they may be updated.
 */
const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\bdrop\s+(?:table|column|view|schema|type|function|constraint)\b/i, 'drops what the last release uses'],
  [/\bdrop\s+index\b/i, 'drops an index that the last release uses: drop it in the next release'],
  [/\balter\s+table\b.*\bdrop\b(?!\s+not\s+null)/is, 'drops what the last release uses'],
  [/\brename\b/i, 'renames what the last release uses'],
  [/\balter\s+(?:column\s+)?\S+\s+(?:set\s+data\s+)?type\b/i, 'changes the type of a column'],
  [/\bset\s+not\s+null\b/i, 'forbids null, which the last release writes'],
  [
    /\badd\s+column\b(?:(?!,\s*add\b).)*\bnot\s+null\b(?!(?:(?!,\s*add\b).)*\bdefault\b)(?<!\bdefault\b.*)/is,
    'adds a column that the last release does not fill',
  ],
  [
    /\badd\s+(?:constraint\b.*)?\b(?:check|foreign\s+key|unique|primary\s+key)\b(?!.*\bnot\s+valid\b)/is,
    'adds a constraint, and reads the whole table under a lock',
  ],
  [/\btruncate\b/i, 'removes rows'],
  [/^\s*delete\b/i, 'removes rows'],
  [
    /^\s*update\s+(?!(?:provider|application|workspace)\s)/i,
    'rewrites a table under the locks of the migration: fill it in batches, in a job',
  ],
]

/** Why a statement of a migration does not only expand the schema; undefined: no reason was found. */
export function findContraction(statement: string): string | undefined {
  return FORBIDDEN.find(([pattern]) => pattern.test(statement))?.[1]
}
