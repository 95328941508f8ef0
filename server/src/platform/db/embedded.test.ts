import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { testFolder } from '../../../test/support/temporary-folder.ts'
import { type Database, openDatabase } from './database.ts'
import { lockFolder } from './folder-lock.ts'

let dataDir: string
const opened: Database[] = []
beforeEach(() => {
  dataDir = testFolder(inject('templateDataDir'))
})
afterEach(async () => {
  for (const database of opened.splice(0).reverse()) await database.close()
})

const open = async (share = false): Promise<Database> => {
  const database = await openDatabase({ dataDir, poolSize: 2, share, onError: () => {}, onProgress: () => {} })
  opened.push(database)
  return database
}
const close = async (database: Database): Promise<void> => {
  opened.splice(opened.indexOf(database), 1)
  await database.close()
}
const queryValue = async ({ db }: Database): Promise<number | undefined> =>
  (await sql<{ value: number }>`select 42 as value`.execute(db)).rows[0]?.value

describe('embedded database', { timeout: 60_000 }, () => {
  test('openDatabase: throws when another server runs on the folder', async () => {
    await open()
    await expect(open()).rejects.toThrow(/another Gatehouse is running on/)
  })

  test('openDatabase: throws for one of two servers when they start at the same time', async () => {
    const results = await Promise.allSettled([open(), open()])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('openDatabase: a command connects to the running server, reads its data and does not stop it', async () => {
    const server = await open()
    await sql`create table note (text text)`.execute(server.db)
    await sql`insert into note values ('from the server')`.execute(server.db)
    const command = await open(true)
    expect((await sql<{ text: string }>`select text from note`.execute(command.db)).rows).toEqual([{ text: 'from the server' }])
    await close(command)
    expect(await queryValue(server)).toBe(42)
  })

  test('openDatabase: commands share one database when they start at the same time without a server', async () => {
    const commands = await Promise.all([open(true), open(true), open(true)])
    expect(await Promise.all(commands.map(queryValue))).toEqual([42, 42, 42])
  })

  test('close: waits for the transaction of a command when the process that started the database stops', async () => {
    const owner = await open(true)
    const command = await open(true)
    const work = command.db.transaction().execute(async (tx) => {
      await sql`select 1`.execute(tx)
      await new Promise((resolve) => setTimeout(resolve, 300))
      return (await sql<{ value: number }>`select 42 as value`.execute(tx)).rows[0]?.value
    })
    const ended = close(owner)
    expect(await work).toBe(42)
    await close(command)
    await ended
  })

  test('openDatabase: opens the folder again when the first process has closed it', async () => {
    await close(await open())
    expect(await queryValue(await open())).toBe(42)
  })
})

test('lockFolder: locks again when the first lock was released', () => {
  const unlock = lockFolder(dataDir)
  expect(unlock).toBeDefined()
  expect(lockFolder(dataDir)).toBeUndefined()
  unlock?.()
  const again = lockFolder(dataDir)
  expect(again).toBeDefined()
  again?.()
})
