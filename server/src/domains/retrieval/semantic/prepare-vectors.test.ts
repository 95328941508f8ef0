import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { freshDatabases } from '../../../../test/support/fresh-database.ts'
import { prepareVectors } from './prepare-vectors.ts'

describe.each(freshDatabases())('vectors on $name', async ({ name, open }) => {
  const fresh = await open()
  const { db } = fresh.database
  afterAll(() => fresh.remove())

  test('prepareVectors: creates the table, and creates it again without harm', async () => {
    for (const _ of [1, 2]) expect(await prepareVectors(db, (why) => expect.unreachable(why))).toBeDefined()
    expect(await sql`select count(*) from retrieval_vector`.execute(db)).toMatchObject({ rows: [{ count: expect.anything() }] })
  })

  test.skipIf(name === 'embedded')('prepareVectors: says that the database user may not create the extension', async () => {
    await prepareVectors(db, (why) => expect.unreachable(why))
    const said: string[] = []
    const role = sql.id(`ungifted_${process.pid}`)
    await sql`create role ${role}`.execute(db)
    try {
      await db.connection().execute(async (connection) => {
        await sql`drop extension vector cascade`.execute(connection)
        await sql`drop table retrieval_vector`.execute(connection)
        await sql`set role ${role}`.execute(connection)
        expect(await prepareVectors(connection, (why) => said.push(why))).toBeUndefined()
        await sql`reset role`.execute(connection)
      })
    } finally {
      await sql`drop role ${role}`.execute(db)
    }
    expect(said).toEqual([expect.stringContaining('may not create the extension')])
  })
})
