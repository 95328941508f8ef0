import { expect, inject, test } from 'vitest'
import { closeAfterTest } from '../../../test/support/close-after-all.ts'
import { testFolder } from '../../../test/support/temporary-folder.ts'
import { openDatabase } from './database.ts'
import { DatabaseMaintenance } from './database-maintenance.ts'

const MIB = 1_048_576

test('checkpoint: the write-ahead log of the embedded database stays bounded when much is written', {
  timeout: 60_000,
}, async () => {
  const dataDir = testFolder(inject('templateDataDir'))
  const { pool } = await closeAfterTest(openDatabase({ dataDir, poolSize: 1, onError: () => {}, onProgress: () => {} }))
  const logBytes = async (): Promise<number> =>
    Number((await pool.query('select sum(size)::float8 as bytes from pg_ls_waldir()')).rows[0].bytes)
  // pg_switch_wal begins a new file of 16 MiB.
  const write = async () => {
    await pool.query('create table if not exists note (text text)')
    await pool.query(`insert into note select repeat('x', 100) from generate_series(1, 100)`)
    await pool.query('select pg_switch_wal()')
  }
  const maintenance = new DatabaseMaintenance(pool)
  for (let files = 0; files < 6; files++) await write()
  const bytesBefore = await logBytes()
  expect(bytesBefore).toBeGreaterThanOrEqual(6 * 16 * MIB)
  for (let files = 0; files < 12; files++) {
    await write()
    await maintenance.checkpoint()
  }
  expect(await logBytes()).toBeLessThanOrEqual(bytesBefore + 2 * 16 * MIB)
  await maintenance.vacuum()
  expect((await pool.query(`select reltuples from pg_class where relname = 'note'`)).rows[0].reltuples).toBe(1_800)
})
