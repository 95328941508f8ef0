import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { separateDatabases } from '../../../test/support/fresh-database.ts'

describe.each(separateDatabases())('prepared statements on $name', async ({ open }) => {
  const fresh = await open()
  await sql`create table thing (id integer primary key, name text)`.execute(fresh.database.db)
  await sql`insert into thing select n, 'thing ' || n from generate_series(1, 20) as n`.execute(fresh.database.db)
  afterAll(() => fresh.remove())

  const nameOf = async (id: number) => {
    const { rows } = await sql<{ name: string }>`select * from thing where id = ${id}`.execute(fresh.database.db)
    return rows[0]?.name
  }
  const prepared = async (like: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*) from pg_prepared_statements where statement like ${sql.lit(like)}`.execute(fresh.database.db)
    return rows[0]?.count ?? 0
  }

  // @MECHANISM Which statements are prepared.
  test('prepared statements: a repeated statement is prepared, one that is sent once is not', async () => {
    expect(await prepared('select * from thing%')).toBe(0)
    for (let id = 1; id <= 20; id++) expect(await nameOf(id)).toBe(`thing ${id}`)
    expect(await prepared('select * from thing%')).toBe(1)
    for (let id = 1; id <= 300; id++) await sql`select ${id}::integer as ${sql.ref(`once_${id}`)}`.execute(fresh.database.db)
    expect(await prepared('%once_%')).toBe(0)
  })

  test('prepared statements: each query gets its own rows when many run at the same time', async () => {
    const ids = Array.from({ length: 400 }, (_, index) => (index % 20) + 1)
    expect(await Promise.all(ids.map(nameOf))).toEqual(ids.map((id) => `thing ${id}`))
  })

  test('prepared statements: none fails when a migration adds a column', async () => {
    for (let id = 1; id <= 20; id++) await nameOf(id)
    await sql`alter table thing add column colour text default 'red'`.execute(fresh.database.db)
    for (let attempt = 0; attempt < 40; attempt++) expect(await nameOf(1)).toBe('thing 1')
    const inTransaction = () =>
      fresh.database.db.transaction().execute((tx) => sql`select * from thing where id = ${1}`.execute(tx))
    for (let attempt = 0; attempt < 20; attempt++) await inTransaction()
    await sql`alter table thing add column weight integer`.execute(fresh.database.db)
    for (let attempt = 0; attempt < 20; attempt++) await inTransaction()
  })
})
