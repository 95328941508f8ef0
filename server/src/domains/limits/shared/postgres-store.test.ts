import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { word } from '../../../../test/support/scripted-provider.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { postgresStore } from './postgres-store.ts'

describe.each(testDatabases())('on $name', async ({ open }) => {
  const database = await closeAfterAll(open())

  const ASK = { rate: 0, capacity: 100, lease: 1_000, last: 0, spent: 0, base: 0, keep: 0, need: 10, first: 1, want: 0 }

  /** Deletes the first row of `key`, as soon as it is there. */
  async function deleteFirstRow(tx: Tx, key: string): Promise<void> {
    await sql`create temporary table deletions (at integer) on commit drop`.execute(tx)
    await sql`
      create function delete_first_row() returns trigger language plpgsql as $$
      begin
        if not exists (select from deletions) then
          insert into deletions values (1);
          delete from quota where key = ${sql.lit(key)};
        end if;
        return null;
      end $$`.execute(tx)
    await sql`create trigger delete_first_row after insert on quota execute function delete_first_row()`.execute(tx)
  }

  test('exchange: books a grant when the limit is removed at the same time', async () => {
    const key = word()
    const booked = database.db.transaction().execute(async (tx) => {
      await deleteFirstRow(tx, key)
      const answers = await postgresStore(tx).exchange({ batch: 1, requests: [{ ...ASK, key, holder: 'a' }] })
      const rows = await tx.selectFrom('quota').select('holders').where('key', '=', key).execute()
      throw Object.assign(new Error('undone'), { answers, rows })
    })
    await expect(booked).rejects.toMatchObject({
      answers: [{ holder: 'a', granted: 10 }],
      rows: [{ holders: { a: [1, 0, 10, expect.any(Number)] } }],
    })
  })
})
