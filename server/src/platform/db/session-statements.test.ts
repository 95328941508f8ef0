import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SOURCES = fileURLToPath(new URL('../..', import.meta.url))
/** SQL that belongs to a session. In a transaction (`set local`, `pg_advisory_xact_lock`, `set_config(…, true)`) it is harmless. */
const NEEDS_SESSION =
  /pg_(?:try_)?advisory_lock\b|\bcurrval\(|\blastval\(|create temp|\bpg_temp\b|[`'"]listen \$|set_config\([^)]*, false\)|[`'"](?:re)?set (?!local|\$)\w+ ?=|with hold\b|[`'"](?:prepare|deallocate|discard) /i
/** They use `Database.sessionPool`, `Database.sessionDb`, or a connection of their own with the session URL. */
const WITH_SESSION = [
  'platform/db/connections.ts',
  'platform/db/long-statements.ts',
  'platform/db/migrate.ts',
  'platform/db/signal.ts',
]

test('statements: need a session only in the files that use one, because a pooler may give each transaction another session', () => {
  const files = globSync('**/*.ts', { cwd: SOURCES }).filter((file) => !file.endsWith('.test.ts'))
  const found = files.filter((file) => NEEDS_SESSION.test(readFileSync(`${SOURCES}/${file}`, 'utf8')))
  expect(found.toSorted()).toEqual(WITH_SESSION.filter((file) => found.includes(file)))
  expect(found).toContain('platform/db/migrate.ts')
})
