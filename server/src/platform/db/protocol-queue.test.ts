import { connect } from 'node:net'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { newDataFolder } from '../../../test/support/database.ts'
import { startEmbedded } from './embedded.ts'

const embedded = await startEmbedded({ dataDir: newDataFolder(), onError: () => {}, onProgress: () => {} })
const where = embedded.connection
const pool = new pg.Pool({ ...where, max: 6 })
afterAll(async () => {
  await pool.end()
  await embedded.stop()
})

const query = async (n: number): Promise<number> => (await pool.query('select $1::int as n', [n])).rows[0].n
const transaction = async (n: number): Promise<number> => {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('select $1::text', ['another statement'])
    const { rows } = await client.query('select $1::int as n', [n])
    await client.query('commit')
    return rows[0].n
  } finally {
    client.release()
  }
}

test('protocol queue: each connection gets its own rows, inside and outside of transactions', async () => {
  const numbers = Array.from({ length: 1_000 }, (_, n) => n)
  expect(await Promise.all(numbers.map((n) => (n % 5 === 0 ? transaction(n) : query(n))))).toEqual(numbers)
})

test('protocol queue: an error affects only its own query', async () => {
  const failing = () => pool.query('select 1 / $1::int', [0]).then(String, (error: Error) => error.message)
  const mixed = await Promise.all(Array.from({ length: 200 }, (_, n) => (n % 3 === 0 ? failing() : query(n))))
  expect(mixed).toEqual(mixed.map((_, n) => (n % 3 === 0 ? 'division by zero' : n)))
})

test('protocol queue: other connections continue when one is closed in a transaction or within a message sequence', async () => {
  const client = new pg.Client(where)
  client.on('error', () => {})
  await client.connect()
  await client.query('begin')
  await client.query('create temporary table unfinished (id int)')
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()

  const incomplete = connect(`${where.host}/.s.PGSQL.5432`)
  incomplete.write(Buffer.from('\0\0\0\x17\0\x03\0\0user\0postgres\0\0', 'latin1'))
  incomplete.write(Buffer.from('P\0\0\0\x10\0select 1\0\0\0', 'latin1'))
  await new Promise((resolve) => incomplete.once('data', resolve))
  incomplete.destroy()

  expect(await Promise.all([query(1), transaction(2), query(3)])).toEqual([1, 2, 3])
  expect((await pool.query("select to_regclass('unfinished') as found")).rows).toEqual([{ found: null }])
})

test('protocol queue: prepared statements are separate for each connection, and closed when it is closed', async () => {
  const prepared = async (): Promise<number> =>
    (await pool.query("select count(*)::int as n from pg_prepared_statements where name like '%same name'")).rows[0].n
  const clients = [new pg.Client(where), new pg.Client(where)] as const
  for (const client of clients) await client.connect()
  const runNamed = (client: pg.Client, text: string) => client.query({ name: 'same name', text, values: [20] })
  for (let round = 0; round < 3; round++) {
    expect((await runNamed(clients[0], 'select $1::int + 1 as n')).rows).toEqual([{ n: 21 }])
    expect((await runNamed(clients[1], 'select $1::int + 2 as n')).rows).toEqual([{ n: 22 }])
  }
  expect(await prepared()).toBe(2)
  await clients[0].end()
  await expect.poll(prepared).toBe(1)
  expect((await runNamed(clients[1], 'select $1::int + 2 as n')).rows).toEqual([{ n: 22 }])
  await clients[1].end()
  await expect.poll(prepared).toBe(0)
})
