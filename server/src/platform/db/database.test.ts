import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'

describe.each(testDatabases())('connections to $name', ({ name, open }) => {
  test.skipIf(name === 'embedded')('connections: only the transaction fails when its connection breaks', async () => {
    const { db, close } = await open()
    const broken = db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      setTimeout(() => void sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db), 50)
      await sql`select pg_sleep(10)`.execute(tx)
    })
    await expect(broken).rejects.toThrow(/terminat/)
    await expect(sql`select 1`.execute(db)).resolves.toBeDefined()
    await close()
  })
})
