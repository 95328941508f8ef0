import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { expect, test } from 'vitest'
import { findContraction, LAST_OF_FIRST_SCHEMA } from '../../../../test/support/expand-only.ts'
import { MIGRATIONS } from './index.ts'

/** The statements of a migration; the database returns no rows for each of them. */
async function statementsOf(name: string): Promise<string[]> {
  const statements: string[] = []
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (own) => new PostgresIntrospector(own),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void statements.push(query.sql),
  })
  await MIGRATIONS[name]?.up(db)
  return statements
}

test.each(Object.keys(MIGRATIONS).filter((name) => name > LAST_OF_FIRST_SCHEMA))(
  'migration %s: only expands the schema',
  async (name) => {
    const problems = (await statementsOf(name)).flatMap((statement) => {
      const problem = findContraction(statement)
      return problem === undefined ? [] : [`${problem}: ${statement.trim().slice(0, 120)}`]
    })
    expect(problems).toEqual([])
  },
)
test.each([
  'drop table message',
  'drop index concurrently if exists message_words',
  'alter table message drop column text',
  'alter table message rename column text to body',
  'alter table message rename to note',
  'alter table message alter column text type varchar(10)',
  'alter table message alter column text set data type varchar(10)',
  'alter table message alter column text set not null',
  'alter table message add column kind text not null',
  'alter table message add column kind text not null, add column other text default 1',
  'alter table message add constraint short check (length(text) < 9)',
  'update message set text = 1',
  'delete from message',
])('findContraction: refuses %s', (statement) => {
  expect(findContraction(statement)).toBeDefined()
})
test.each([
  'create table note (id uuid primary key, text text not null)',
  'alter table message add column kind text',
  "alter table message add column kind text not null default 'plain'",
  "alter table message add column kind text default 'plain' not null",
  'alter table message alter column text drop not null',
  'create index concurrently if not exists message_kind on message (kind)',
  'alter table message add constraint short check (length(text) < 9) not valid',
])('findContraction: accepts %s', (statement) => {
  expect(findContraction(statement)).toBeUndefined()
})
